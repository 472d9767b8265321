package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.valkey.internal.StoredGraph.WaitingFacts;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A flow with what is around members of it that end: what follows from their ends is mostly decided
 * by that. Many flows are read with one call; what is seldom needed is read when it is.
 */
final class FlowSurroundings {
    private final ValkeyContext valkey;
    private final Partition home;
    private final UUID uuid;
    private final List<Integer> numbers;
    private final Item told;
    private final List<WaitingFacts> facts;
    private final Instant now;

    private FlowSurroundings(
            ValkeyContext valkey,
            Partition home,
            UUID uuid,
            List<Integer> numbers,
            Item told,
            List<WaitingFacts> facts,
            Instant now) {
        this.valkey = valkey;
        this.home = home;
        this.uuid = uuid;
        this.numbers = numbers;
        this.told = told;
        this.facts = facts;
        this.now = now;
    }

    /** A flow that can be read, and its graph. */
    record ReadFlow(StoredFlow flow, StoredGraph graph) {}

    /**
     * Reads flows.
     *
     * @param asked flows, each with the numbers of members that end; those in its inbox are known
     * @return one for each, in their order
     */
    static List<FlowSurroundings> read(
            ValkeyContext valkey, Partition home, Map<UUID, List<Integer>> asked) {
        var told =
                valkey.read(
                        "around",
                        home,
                        out ->
                                out.list(
                                        asked.entrySet(),
                                        (o, flow) ->
                                                o.list(2)
                                                        .uuid(flow.getKey())
                                                        .list(
                                                                flow.getValue(),
                                                                (all, it) -> all.number(it))));
        return of(valkey, home, asked, told.answer(), told.now());
    }

    /** The flows of members whose ends were left to be decided here, as {@code end} tells. */
    static List<FlowSurroundings> left(
            ValkeyContext valkey, Partition home, Item left, Instant now) {
        var asked = new LinkedHashMap<UUID, List<Integer>>();
        left.at(0).list().forEach(it -> asked.put(it.at(0).uuid(), it.at(1).list(Item::small)));
        return of(valkey, home, asked, left.at(1), now);
    }

    private static List<FlowSurroundings> of(
            ValkeyContext valkey,
            Partition home,
            Map<UUID, List<Integer>> asked,
            Item told,
            Instant now) {
        var executions = told.at(1).at(0);
        var details = told.at(1).at(1);
        var found = new ArrayList<FlowSurroundings>();
        int next = 0;
        for (var flow : asked.entrySet()) {
            var one = told.at(0).at(found.size());
            var facts = new ArrayList<WaitingFacts>();
            for (int number : one.at(4).list(Item::small)) {
                facts.add(
                        new WaitingFacts(
                                number,
                                executions.at(next),
                                details.at(3 * next),
                                details.at(3 * next + 1),
                                details.at(3 * next + 2)));
                next++;
            }
            found.add(
                    new FlowSurroundings(
                            valkey, home, flow.getKey(), flow.getValue(), one, facts, now));
        }
        return found;
    }

    UUID uuid() {
        return uuid;
    }

    /** Whether this is what is around these members, and lies in a partition. */
    boolean isAround(Partition where, List<Integer> members) {
        return home.equals(where) && numbers.equals(members);
    }

    /**
     * The flow, if there is one.
     *
     * @throws io.flowfabric.core.StoreFailure when it cannot be read any more
     */
    Optional<StoredFlow> flow() {
        return FlowHomes.read(uuid, told.at(0), told.at(1), now);
    }

    /**
     * The flow with its graph, if there is one.
     *
     * @throws io.flowfabric.core.StoreFailure when it cannot be read any more
     */
    Optional<ReadFlow> readable() {
        return flow().map(
                        flow -> {
                            var graph = new StoredGraph(valkey, home, uuid);
                            var left = flow.ended().stream().map(EndedMember::number);
                            var ended = Stream.concat(numbers.stream(), left).toList();
                            graph.know(told.at(2).list(), told.at(3), ended, facts);
                            return new ReadFlow(flow, graph);
                        });
    }
}
