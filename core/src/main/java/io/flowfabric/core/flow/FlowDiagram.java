package io.flowfabric.core.flow;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.PublicState;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/**
 * The graph of a flow as a Mermaid diagram: each member with its state and how long it could run, a
 * member that needs only some of those before it as a hexagon, and the {@link CriticalPath} in
 * thick lines.
 */
public final class FlowDiagram {
    private static final String IN = "    ";

    /** What may stand as it is between letters or digits, where it cannot mean anything. */
    private static final String HARMLESS = " -_.";

    private final StringBuilder text = new StringBuilder("graph LR\n");
    private final FlowView flow;
    private final List<MemberView> members;
    private final List<Edge> edges;

    private FlowDiagram(FlowView flow, List<MemberView> members, List<Edge> edges) {
        this.flow = flow;
        this.members = members;
        this.edges = edges;
    }

    /** A diagram of a flow with these members and edges, without a line break at its end. */
    public static String mermaid(FlowView flow, List<MemberView> members, List<Edge> edges) {
        return new FlowDiagram(flow, members, edges).mermaid();
    }

    private String mermaid() {
        var title = "%s: %s".formatted(escaped(flow.kind()), flow.state().wire());
        line(IN, "subgraph flow[\"%s\"]".formatted(title));
        // Else what nothing leads out of is drawn across.
        line(IN + IN, "direction LR");
        members.forEach(this::node);
        line(IN, "end");
        edges();
        states().forEach(state -> line(IN, "classDef %s %s".formatted(state.wire(), style(state))));
        return text.toString().stripTrailing();
    }

    private void line(String indent, String words) {
        text.append(indent).append(words).append('\n');
    }

    private void node(MemberView member) {
        var quorum = member.join().quorum();
        var words = new StringJoiner("<br/>").add(escaped(member.name()));
        quorum.ifPresent(k -> words.add("%d of %d".formatted(k, member.edges())));
        words.add(member.state().wire() + share(member));
        var shape = quorum.isPresent() ? "%s{{\"%s\"}}:::%s" : "%s[\"%s\"]:::%s";
        line(IN + IN, shape.formatted(id(member), words, member.state().wire()));
    }

    /** Its name may be anything; its number is a word everywhere. */
    private static String id(MemberView member) {
        return "m" + member.number();
    }

    private static String share(MemberView member) {
        return member.ready()
                .flatMap(
                        ready ->
                                member.ended()
                                        .filter(ended -> !ended.isBefore(ready))
                                        .map(ended -> Duration.between(ready, ended)))
                .map(took -> ", " + took.toString().substring(2).toLowerCase(Locale.ROOT))
                .orElse("");
    }

    private void edges() {
        Map<String, String> ids =
                members.stream().collect(toMap(MemberView::name, FlowDiagram::id));
        var critical = critical();
        for (var edge : edges) {
            var upstream = ids.get(edge.upstream());
            var downstream = ids.get(edge.downstream());
            if (upstream != null && downstream != null) {
                boolean any = edge.on() == Edge.On.COMPLETION;
                boolean thick = critical.contains(List.of(edge.upstream(), edge.downstream()));
                line(IN, "%s %s %s".formatted(upstream, arrow(any, thick), downstream));
            }
        }
    }

    private static String arrow(boolean any, boolean thick) {
        if (any) {
            return thick ? "== any end ==>" : "-. any end .->";
        }
        return thick ? "==>" : "-->";
    }

    private Set<List<String>> critical() {
        var names = CriticalPath.of(flow.submitted(), members, edges).names();
        var pairs = new HashSet<List<String>>();
        for (int n = 1; n < names.size(); n++) {
            pairs.add(List.of(names.get(n - 1), names.get(n)));
        }
        return pairs;
    }

    private Set<PublicState> states() {
        var states = EnumSet.noneOf(PublicState.class);
        members.forEach(member -> states.add(member.state()));
        return states;
    }

    private static String style(PublicState state) {
        return switch (state) {
            case WAITING, DELAYED, RATE_LIMITED, WAITING_CHILDREN ->
                    "fill:#ffffff,stroke:#57606a,color:#24292f";
            case ACTIVE, SUSPENDED -> "fill:#ddf4ff,stroke:#0969da,color:#24292f";
            case COMPLETED -> "fill:#dafbe1,stroke:#1a7f37,color:#24292f";
            case FAILED, EXPIRED -> "fill:#ffebe9,stroke:#cf222e,color:#24292f";
            case CANCELLED, SKIPPED ->
                    "fill:#f6f8fa,stroke:#57606a,color:#57606a,stroke-dasharray:4";
        };
    }

    /** A text that means nothing to Mermaid, to Markdown and to HTML. */
    private static String escaped(String words) {
        var points = words.codePoints().toArray();
        var safe = new StringBuilder();
        for (int n = 0; n < points.length; n++) {
            if (plain(points, n) || (between(points, n) && HARMLESS.indexOf(points[n]) >= 0)) {
                safe.appendCodePoint(points[n]);
            } else {
                safe.append('#').append(points[n]).append(';');
            }
        }
        return safe.toString();
    }

    private static boolean between(int[] points, int n) {
        return plain(points, n - 1) && plain(points, n + 1);
    }

    private static boolean plain(int[] points, int n) {
        return n >= 0 && n < points.length && Character.isLetterOrDigit(points[n]);
    }
}
