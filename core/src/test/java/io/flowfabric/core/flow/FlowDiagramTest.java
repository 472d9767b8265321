package io.flowfabric.core.flow;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.flow.GraphExample.NEVER;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.PublicState;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FlowDiagramTest {
    private static String drawn(String kind, GraphExample graph) {
        var flow = FlowSubmission.of(kind);
        return FlowDiagram.mermaid(
                FlowView.of(FlowRecord.submitted(flow, flow.digest(), NOON)),
                graph.members,
                graph.edges);
    }

    @Test
    void a_graph_is_drawn_with_states_times_joins_and_its_critical_path() {
        var graph =
                new GraphExample()
                        .completed("here", 0, 90)
                        .failed("there", 0, 10)
                        .member(
                                "video",
                                PublicState.ACTIVE,
                                90,
                                NEVER,
                                Join.anyOf(),
                                "here",
                                "there")
                        .waiting("report")
                        .afterAnyEndOf("video");

        assertThat(drawn("publish", graph))
                .isEqualTo(
                        """
                        graph LR
                            subgraph flow["publish: running"]
                                direction LR
                                m0["here<br/>completed, 1m30s"]:::completed
                                m1["there<br/>failed, 10s"]:::failed
                                m2{{"video<br/>1 of 2<br/>active"}}:::active
                                m3["report<br/>waiting_children"]:::waiting_children
                            end
                            m0 ==> m2
                            m1 --> m2
                            m2 -. any end .-> m3
                            classDef waiting_children fill:#ffffff,stroke:#57606a,color:#24292f
                            classDef active fill:#ddf4ff,stroke:#0969da,color:#24292f
                            classDef completed fill:#dafbe1,stroke:#1a7f37,color:#24292f
                            classDef failed fill:#ffebe9,stroke:#cf222e,color:#24292f\
                        """);
    }

    @Test
    void an_end_that_counts_whatever_it_was_can_be_on_the_path() {
        var graph = new GraphExample().failed("a", 0, 1).completed("b", 1, 2).afterAnyEndOf("a");

        assertThat(drawn("f", graph)).contains("m0 == any end ==> m1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    plain               | plain
                    größe-2 v1.5_b      | größe-2 v1.5_b
                    "quoted"            | #34;quoted#34;
                    a#35;b              | a#35;35#59;b
                    <b>x</b>            | #60;b#62;x#60;#47;b#62;
                    1. first            | 1#46;#32;first
                    - item              | #45;#32;item
                    _a_                 | #95;a#95;
                    a--b                | a#45;#45;b
                    x]; click m0        | x#93;#59;#32;click m0
                    %s                  | #37;s
                    😀                  | #128512;
                    """)
    void a_name_can_be_anything(String name, String shown) {
        var graph = new GraphExample().completed(name, 0, 1);

        assertThat(drawn(name, graph))
                .contains("m0[\"" + shown + "<br/>completed, 1s\"]")
                .contains("subgraph flow[\"" + shown + ": running\"]");
    }

    @ParameterizedTest
    @EnumSource(PublicState.class)
    void every_state_has_a_class(PublicState state) {
        var graph = new GraphExample().member("a", state, 0, NEVER, Join.ALL_OF);

        assertThat(drawn("f", graph))
                .contains("\"]:::" + state.wire() + "\n")
                .containsPattern("classDef " + state.wire() + " fill:");
    }

    @Test
    void an_edge_of_a_member_that_was_not_read_is_left_out() {
        var graph = new GraphExample().completed("a", 0, 1);
        graph.edges.add(Edge.of("a", "unknown"));
        graph.edges.add(Edge.of("unknown", "a"));

        assertThat(drawn("f", graph)).doesNotContain("m0 -", "=>", "-> m0");
    }
}
