package io.flowfabric.postgres.internal.flow;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.catalog.NumberRemoved;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.MemberTable.FlowMember;
import io.flowfabric.postgres.internal.submit.InsertedWork;
import io.flowfabric.postgres.internal.submit.PreparedSubmission;
import io.flowfabric.postgres.internal.submit.SubmitStatement;
import io.flowfabric.postgres.internal.submit.SubmitStatement.OfFlows;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/** The executions of members on their way in: all of them, or none. */
final class MemberWork {
    private static final int CHUNK = 1000;

    /** How often work may race with gates that are removed, or ids that become free. */
    private static final int TRIES = 5;

    private final PostgresContext postgres;
    private final List<Part> parts;
    private List<PreparedSubmission> items;

    /** The members of one flow. */
    record Part(FlowRecord flow, List<Member> members) {
        private Stream<Submission> work() {
            return members.stream().map(flow.policy()::submission);
        }
    }

    /** That the numbers which work refers to have to be looked up again. */
    private static final class Raced extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Raced() {
            super("numbers were removed meanwhile", null, false, false);
        }
    }

    /** Work that is in, once the transaction is committed. */
    record Inserted(List<InsertedWork> pieces) {
        static final Inserted NOTHING = new Inserted(List.of());
    }

    /**
     * Work of members, whose gates and policies are made if there are none: before the transaction,
     * as for all work.
     */
    MemberWork(PostgresContext postgres, List<Part> parts) {
        this.postgres = postgres;
        this.parts = parts;
        var work = parts.stream().flatMap(Part::work).toList();
        this.items = work.isEmpty() ? List.of() : PreparedSubmission.all(postgres, work);
    }

    /** Runs a transaction that inserts this work, again when what the work refers to is gone. */
    <T> T transaction(Function<Jdbc, T> work) {
        for (int tries = 0; tries < TRIES; tries++) {
            try {
                return postgres.db().transaction(work);
            } catch (Raced | NumberRemoved gone) {
                items = PreparedSubmission.again(postgres, items);
            }
        }
        throw new Contended(parts.getFirst().flow.id().toString(), Duration.ofMillis(100));
    }

    /**
     * Inserts the work.
     *
     * @param members the same, in the same order, as they begin
     * @throws io.flowfabric.core.FlowFabricException why one of them is refused
     */
    Inserted insert(Jdbc tx, List<FlowMember> members, Instant now) {
        mustBeTaken(tx, items.stream().filter(item -> !item.gated()).toList());
        var flows = new HashMap<UUID, UUID>();
        members.forEach(it -> flows.put(it.member().execution().uuid(), it.flow()));
        var ofFlows = new OfFlows(flows, waits(members, now));
        var pieces = new ArrayList<InsertedWork>();
        for (var some : Chunks.of(items, CHUNK, item -> item.submission().input().size())) {
            var piece =
                    InsertedWork.insert(
                            postgres,
                            tx,
                            some,
                            (on, at, those, queues) ->
                                    SubmitStatement.insertMembers(on, at, those, queues, ofFlows));
            mustBeTaken(tx, piece.accepted().others(some));
            pieces.add(piece);
        }
        return new Inserted(pieces);
    }

    private Map<UUID, String> waits(List<FlowMember> members, Instant now) {
        var waits = new HashMap<UUID, String>();
        for (int i = 0; i < members.size(); i++) {
            var policy = items.get(i).submission().policy();
            var member = members.get(i).member();
            if (FlowAcceptance.begin(member, policy, now) instanceof Blocked blocked) {
                waits.put(member.execution().uuid(), blocked.detail());
            }
        }
        return waits;
    }

    /** Says why work was not taken. */
    private static void mustBeTaken(Jdbc tx, List<PreparedSubmission> refused) {
        if (refused.isEmpty()) {
            return;
        }
        var known = known(tx, refused);
        for (var item : refused) {
            if (known.contains(item.id())) {
                throw new Conflict(
                        Conflict.Code.ID_TAKEN,
                        item.submission().id().toString(),
                        "This id is that of an execution already: mint another one for the"
                                + " member.");
            }
            PostgresLanes.find(tx, item.lane())
                    .ifPresent(lane -> Acceptance.mustTake(item.lane(), lane.settings().state()));
            item.undefined()
                    .ifPresent(
                            undefined -> {
                                throw undefined;
                            });
        }
        throw new Raced();
    }

    private static Set<UUID> known(Jdbc tx, List<PreparedSubmission> items) {
        return Set.copyOf(
                tx.query("known")
                        .uuids("ids", items, PreparedSubmission::id)
                        .texts("namespaces", List.<String>of(), none -> none)
                        .texts("keys", List.<String>of(), none -> none)
                        .list(row -> row.uuid("id")));
    }

    /** Wakes those who wait for the work, once it is committed. */
    void tell(Inserted inserted) {
        for (var piece : inserted.pieces) {
            piece.remember();
            postgres.submitted(piece.accepted().ready(), piece.accepted().ids());
        }
        for (var item : items) {
            // A deadline may be a time that has passed: then it is due before what was done.
            var deadline = RowCodec.at(item.submission().policy().deadline());
            if (deadline != null) {
                postgres.timers().set(deadline);
            }
        }
    }
}
