package io.flowfabric.valkey.internal;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowReopening;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.FlowWrite.FlowStep;

import java.util.Objects;
import java.util.Optional;

/**
 * Replays of members, with everything that depended on them. All of the graph is read, and what is
 * reopened is written by one call.
 */
final class FlowReplays {
    private final ValkeyContext valkey;
    private final FlowSettling settling;
    private final FlowHomes homes;

    FlowReplays(ValkeyContext valkey, FlowSettling settling) {
        this.valkey = valkey;
        this.settling = settling;
        this.homes = new FlowHomes(valkey);
    }

    /**
     * Replays a member.
     *
     * @param replay what was decided for it alone
     * @return what it is then; nothing when something has changed meanwhile
     * @throws io.flowfabric.core.Conflict when its flow does not allow it
     */
    Optional<ExecutionState> replay(Partition home, Decidable stored, Change replay) {
        var place = stored.row().member().orElseThrow();
        settling.settle(home, place.flow());
        var flow = homes.read(home, place.flow());
        if (flow.isEmpty() || !flow.get().settled()) {
            return Optional.empty();
        }
        var before = flow.get();
        var graph = new StoredGraph(valkey, home, place.flow());
        var members = graph.membersFrom(0, (int) Limit.FLOW_MEMBERS.max(), false);
        if (members.get(place.number()).live()) {
            return Optional.empty();
        }
        var arcs = graph.arcsFrom(0, (int) Limit.FLOW_EDGES.max());
        var facts = graph.facts(FlowReopening.skipped(members, place.number()));
        var reopened =
                FlowReopening.reopen(
                        before.record(),
                        members,
                        arcs,
                        place.number(),
                        facts.keySet(),
                        before.now());
        var write = FlowWrite.of(before).become(reopened.flow()).change(reopened.members());
        var own =
                reopened.waits(place.number())
                        ? FlowReopening.waiting(stored.facts(), replay)
                        : replay;
        write.begin(FlowStep.of(stored, own));
        reopened.open().stream()
                .filter(number -> number != place.number())
                .sorted()
                .forEach(
                        number ->
                                write.begin(
                                        FlowStep.of(
                                                graph.execution(number),
                                                FlowReopening.change(
                                                        Objects.requireNonNull(facts.get(number)),
                                                        reopened.waits(number),
                                                        before.now()))));
        if (before.record().state().ended()) {
            write.tell(
                    FlowNews.of(
                            reopened.flow(), Event.FlowStep.REOPENED, replay.by(), before.now()),
                    before.record().tags());
        }
        return write.write(valkey, home).done() ? Optional.of(own.after()) : Optional.empty();
    }
}
