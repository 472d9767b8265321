package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Contended;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Leases that operators give by hand. */
final class HandClaims {
    /** So often others may come in between. */
    private static final int ATTEMPTS = 32;

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final UnreadableWork unreadable;
    private final LargeInputs inputs;
    private final ValkeySteps steps;
    private final FlowReads flows;

    HandClaims(ValkeyContext valkey, UnreadableWork unreadable) {
        this.valkey = valkey;
        this.unreadable = unreadable;
        this.inputs = new LargeInputs(valkey);
        this.steps = new ValkeySteps(valkey);
        this.flows = new FlowReads(valkey);
    }

    Lease claim(ExecutionId execution, SessionId session, Attribution by) {
        return valkey.at(execution, home -> claim(home, execution, session, by));
    }

    private Lease claim(Partition home, ExecutionId execution, SessionId session, Attribution by) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var read = ExecutionFacts.read(valkey, home, List.of(execution));
            var living = alive(session, read.now());
            var stored = read.all().getFirst().readable();
            var row = stored.row();
            if (stored.facts().state() instanceof Running running
                    && running.session().equals(session)) {
                var held = held(row, session, withInput(home, read.all().getFirst()));
                return flows.withUpstreams(home, steps.with(held, row), row);
            }
            OperatorDecisions.mustBeClaimable(
                    stored.facts(), read.now(), stored.submission().lane(), living.session());
            var told = claim(home, row, session, by);
            switch (told.at(0).text()) {
                case "given" -> {
                    var piece =
                            AppliedParts.after(
                                    () -> inputs.fetched(home, List.of(told.at(1))).getFirst());
                    return lease(home, execution, session, piece);
                }
                case "dead" -> throw ValkeySessions.unknown(session);
                case "shut" ->
                        OperatorDecisions.mustBeAdmitted(
                                execution, Optional.of(words(told.at(1).text())), Stream.of());
                default -> {
                    // It has changed since it was read.
                }
            }
        }
        throw new Contended("the execution " + execution, RETRY_AFTER);
    }

    private Lease lease(Partition home, ExecutionId execution, SessionId session, Item piece) {
        try {
            return ValkeyClaims.lease(piece, session);
        } catch (Item.Unreadable damaged) {
            boolean unused = unreadable.putAside(home, session, 0, List.of(execution.uuid()));
            throw StoreFailure.unreadable("The execution " + execution, damaged);
        }
    }

    private SessionFields alive(SessionId session, Instant now) {
        return valkey.home(session).stream()
                .flatMap(home -> Records.sessions(valkey, home, List.of(session)).stream())
                .filter(found -> found.isAlive(now))
                .findFirst()
                .orElseThrow(() -> ValkeySessions.unknown(session));
    }

    private Item claim(Partition home, ExecutionFields row, SessionId session, Attribution by) {
        return valkey.call(
                        "claim_by_hand",
                        home,
                        out ->
                                out.list(4)
                                        .uuid(session.uuid())
                                        .uuid(row.uuid())
                                        .bytes(row.packed())
                                        .list(2)
                                        .text(by.actor())
                                        .text(by.reason()))
                .answer();
    }

    private Submission withInput(Partition home, ExecutionFacts stored) {
        var apart =
                valkey.read(
                                "read",
                                home,
                                out -> {
                                    out.list(1).list(2).text("detail").list(1);
                                    Records.detail(out, stored.id().uuid(), 'i');
                                })
                        .answer()
                        .at(0)
                        .at(0);
        try {
            return SubmissionRecord.read(stored.id(), stored.submitted(), apart);
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The execution " + stored.id(), damaged);
        }
    }

    /** The lease that a session has already. */
    private static Lease held(ExecutionFields row, SessionId session, Submission submission) {
        return new Lease(
                new Fence(row.id(), row.attempts() - 1, row.epoch()),
                session,
                row.next(),
                submission.lane(),
                submission.kind(),
                submission.input(),
                submission.tags(),
                submission.policy(),
                row.retries(),
                row.since(),
                row.deadline());
    }

    /**
     * What leaves no room, in words.
     *
     * @param obstacle a letter, a namespace, a name, and of a quota a key
     */
    private static String words(String obstacle) {
        var parts = obstacle.substring(1).split("\0", -1);
        if (obstacle.charAt(0) == 'b') {
            return "budget %s: what is left of it is not enough".formatted(parts[1]);
        }
        var use = parts[2].isEmpty() ? parts[1] : parts[1] + "=" + parts[2];
        return "quota %s: it leaves no room".formatted(use);
    }
}
