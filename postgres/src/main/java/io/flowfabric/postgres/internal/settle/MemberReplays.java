package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowReopening;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowTable.News;
import io.flowfabric.postgres.internal.step.StepBatch;

import java.util.List;
import java.util.UUID;

/** Replays of members, each with everything that depended on it. */
public final class MemberReplays {
    private final PostgresContext postgres;
    private final FlowTable flows;
    private final FlowSettler settler;

    public MemberReplays(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
        this.settler = new FlowSettler(postgres);
    }

    /**
     * Replays a member whose flow this transaction has locked, and says what the member is then.
     *
     * @param facts of the member, which is locked
     * @param replay what was decided of it alone
     * @throws io.flowfabric.core.Conflict when its flow does not go on with it
     */
    public ExecutionState replay(
            Jdbc tx, UUID flow, Facts facts, Change replay, FlowAftermath after) {
        var locked = flows.lock(tx, List.of(flow)).get(flow);
        if (locked == null) {
            throw new IllegalStateException("The flow %s of a member is gone.".formatted(flow));
        }
        var settled = settler.settleAll(tx, locked, after);
        var members = MemberTable.all(tx, flow);
        int number = number(members, facts);
        var others =
                new LockedGraph(postgres, tx, settled.id(), members)
                        .facts(FlowReopening.skipped(members, number));
        var reopened =
                FlowReopening.reopen(
                        settled.record(),
                        members,
                        MemberTable.arcs(tx, flow),
                        number,
                        others.keySet(),
                        settled.now());
        var own = reopened.waits(number) ? FlowReopening.waiting(facts, replay) : replay;
        var steps = new StepBatch();
        steps.add(own, facts);
        others.forEach(
                (other, its) -> {
                    if (reopened.open().contains(other)) {
                        steps.add(
                                FlowReopening.change(its, reopened.waits(other), settled.now()),
                                its);
                    }
                });
        after.add(steps, steps.writeSettled(tx, postgres.now()));
        var now = settled.with(reopened.flow());
        var event = FlowNews.of(now.record(), FlowStep.REOPENED, replay.by(), now.now());
        flows.change(
                tx,
                List.of(now),
                MemberTable.of(flow, reopened.members()),
                settled.record().state().ended()
                        ? List.of(new News(now.record(), event))
                        : List.of());
        return own.after();
    }

    private static int number(List<MemberRecord> members, Facts facts) {
        return members.stream()
                .filter(member -> member.execution().uuid().equals(facts.id().uuid()))
                .findFirst()
                .orElseThrow()
                .number();
    }
}
