package io.flowfabric.core.flow;

import static io.flowfabric.core.flow.GraphExample.NEVER;
import static io.flowfabric.core.flow.GraphExample.at;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.flowfabric.core.PublicState;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class CriticalPathTest {
    private static GraphExample graph() {
        return new GraphExample();
    }

    @Test
    void an_empty_flow_has_an_empty_path() {
        assertThat(graph().path().stages()).isEmpty();
    }

    @Test
    void of_all_that_a_member_needed_the_last_one_decided() {
        var path =
                graph().completed("top", 0, 2)
                        .completed("slow", 2, 9, "top")
                        .completed("quick", 2, 3, "top")
                        .completed("bottom", 9, 10, "slow", "quick")
                        .path();

        assertThat(path.names()).containsExactly("top", "slow", "bottom");
        assertThat(path.stages())
                .extracting(stage -> stage.took(at(99)))
                .containsExactly(
                        Duration.ofSeconds(2), Duration.ofSeconds(7), Duration.ofSeconds(1));
        assertThat(path.stages()).allSatisfy(it -> assertThat(it.waited(at(99))).isZero());
    }

    @Test
    void of_any_that_would_do_the_first_success_decided() {
        var path =
                graph().failed("broken", 0, 1)
                        .completed("late", 0, 8)
                        .completed("early", 0, 3)
                        .member(
                                "taken",
                                PublicState.COMPLETED,
                                3,
                                20,
                                Join.anyOf().letRun(),
                                "broken",
                                "late",
                                "early")
                        .path();

        assertThat(path.names()).containsExactly("early", "taken");
    }

    @Test
    void of_a_quorum_the_last_one_that_it_took_decided() {
        var path =
                graph().completed("a", 0, 1)
                        .completed("b", 0, 2)
                        .completed("c", 0, 3)
                        .member(
                                "end",
                                PublicState.COMPLETED,
                                2,
                                4,
                                Join.quorum(2).letRun(),
                                "a",
                                "b",
                                "c")
                        .path();

        assertThat(path.names()).containsExactly("b", "end");
    }

    @Test
    void a_flow_ends_with_what_failed_and_not_with_what_was_skipped_for_it() {
        var path = graph().completed("a", 0, 1).failed("b", 1, 4, "a").skipped("c", 5, "b").path();

        assertThat(path.names()).containsExactly("a", "b");
    }

    @Test
    void a_skipped_member_is_on_the_path_when_something_came_after_its_end() {
        var path =
                graph().completed("other", 0, 3)
                        .failed("a", 0, 4)
                        .skipped("b", 4, "other", "a")
                        .completed("cleanup", 4, 6)
                        .afterAnyEndOf("b")
                        .path();

        assertThat(path.names()).containsExactly("a", "b", "cleanup");
        assertThat(path.stages().get(1).took(at(99))).isZero();
        assertThat(path.stages().get(1).waited(at(99))).isZero();
    }

    @Test
    void a_quorum_is_given_up_with_the_first_loss_that_left_too_few() {
        var path =
                graph().failed("a", 0, 1)
                        .failed("b", 0, 2)
                        .failed("c", 0, 3)
                        .member(
                                "join",
                                PublicState.SKIPPED,
                                NEVER,
                                2,
                                Join.quorum(2).letRun(),
                                "a",
                                "b",
                                "c")
                        .completed("cleanup", 2, 6)
                        .afterAnyEndOf("join")
                        .path();

        assertThat(path.names()).containsExactly("b", "join", "cleanup");
    }

    @Test
    void a_member_that_ended_while_it_waited_stands_for_itself() {
        var path =
                graph().completed("a", 0, 1)
                        .member("late", PublicState.EXPIRED, NEVER, 9, Join.ALL_OF, "a")
                        .path();

        assertThat(path.names()).containsExactly("late");
        assertThat(path.stages().getFirst().waited(at(99))).isEqualTo(Duration.ofSeconds(9));
        assertThat(path.stages().getFirst().took(at(99))).isZero();
    }

    @Test
    void a_cancelled_flow_ends_with_what_could_run_and_not_with_what_waited_for_it() {
        var path =
                graph().completed("a", 0, 1)
                        .member("b", PublicState.CANCELLED, 1, 5, Join.ALL_OF, "a")
                        .member("c", PublicState.CANCELLED, NEVER, 5, Join.ALL_OF, "b")
                        .path();

        assertThat(path.names()).containsExactly("a", "b");
    }

    @Test
    void a_flow_of_which_all_was_skipped_has_a_path() {
        assertThat(graph().skipped("a", 1).skipped("b", 1, "a").path().names())
                .containsExactly("a", "b");
    }

    @Test
    void a_running_flow_waits_for_what_could_run_longest() {
        var path =
                graph().completed("a", 0, 5)
                        .active("b", 5, "a")
                        .active("c", 0)
                        .completed("d", 0, 30)
                        .waiting("end", "b", "c", "d")
                        .path();

        assertThat(path.names()).containsExactly("c");
        assertThat(path.stages().getFirst().took(at(40))).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void a_running_flow_may_wait_for_a_member_to_be_sealed() {
        var path =
                graph().completed("a", 0, 5)
                        .completed("b", 0, 6)
                        .waiting("unsealed", "a", "b")
                        .waiting("end", "unsealed")
                        .path();

        assertThat(path.names()).containsExactly("b", "unsealed");
        assertThat(path.stages().getLast().waited(at(10))).isEqualTo(Duration.ofSeconds(4));
        assertThat(path.stages().getLast().took(at(10))).isZero();
    }

    @Test
    void what_ended_once_more_after_another_had_begun_did_not_decide_it() {
        var path =
                graph().completed("a", 0, 2)
                        .completed("replayed", 0, 9)
                        .completed("end", 3, 20, "a", "replayed")
                        .path();

        assertThat(path.names()).containsExactly("a", "end");
        assertThat(path.stages().getLast().waited(at(99))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void edges_of_members_that_were_not_read_are_left_out() {
        var graph = graph().completed("a", 0, 2);
        graph.edges.add(Edge.of("unknown", "a"));
        graph.edges.add(Edge.of("a", "unknown"));

        assertThat(graph.path().names()).containsExactly("a");
    }

    @Test
    void ten_thousand_members_are_looked_through_once() {
        var chain = graph().completed("m0", 0, 1);
        for (int n = 1; n < 10_000; n++) {
            var before = new String[Math.min(n, 10)];
            for (int m = 0; m < before.length; m++) {
                before[m] = "m" + (n - 1 - m);
            }
            chain.completed("m" + n, n, n + 1, before);
        }

        // The bound is far above what it takes, and far below what a look per pair would.
        var path = assertTimeout(Duration.ofSeconds(1), chain::path);

        assertThat(path.stages()).hasSize(10_000);
        var fan = graph();
        var names = new String[9_999];
        for (int n = 0; n < names.length; n++) {
            names[n] = "m" + n;
            fan.completed(names[n], 0, n + 1);
        }
        fan.completed("end", 9_999, 10_000, names);
        assertThat(fan.path().names()).containsExactly("m9998", "end");
    }

    @Test
    void the_shares_of_an_ended_flow_add_up_to_the_time_it_took() {
        var path =
                graph().completed("a", 2, 5)
                        .completed("b", 7, 9, "a")
                        .completed("c", 9, 12, "b")
                        .path();

        var sum =
                path.stages().stream()
                        .map(stage -> stage.waited(at(99)).plus(stage.took(at(99))))
                        .reduce(Duration.ZERO, Duration::plus);
        assertThat(sum).isEqualTo(Duration.ofSeconds(12));
    }
}
