package io.flowfabric.core.flow;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A flow with all of its members and edges, read page by page. */
record WholeGraph(FlowView flow, List<MemberView> members, List<Edge> edges) {
    private static final int PAGE = (int) Limit.PAGE.max();

    static WholeGraph read(Flows flows, FlowId id) {
        var flow = flows.describe(List.of(id)).getFirst().orThrow();
        // Edges first: what comes meanwhile is a member without edges, and no edge to nowhere.
        List<Edge> edges = all(from -> flows.edges(id, from, PAGE));
        List<MemberView> members = all(from -> flows.members(id, from, PAGE));
        return new WholeGraph(flow, members, edges);
    }

    private static <T> List<T> all(Function<Cursor, Page<T>> pages) {
        var all = new ArrayList<T>();
        for (var at = Cursor.START; !at.equals(Cursor.END); ) {
            var page = pages.apply(at);
            all.addAll(page.items());
            at = page.next();
        }
        return all;
    }
}
