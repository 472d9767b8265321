package io.flowfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Failure;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What handlers can rely on, on the store that is the specification. */
class DurableCodeTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Retry AT_ONCE = Retry.retries(3).backoff(Backoff.fixed(Duration.ZERO));

    record Order(String item, int count) {}

    record Receipt(String of, long cents) {}

    private static final Kind<Order, Receipt> ORDER =
            Kind.of("order", Order.class, Receipt.class).lane("orders").retry(AT_ONCE);

    private final FlowFabric fabric =
            FlowFabric.on(new MemoryStore(InstantSource.system()), FabricOptions.DEFAULT);
    private final Map<String, Integer> ran = new ConcurrentHashMap<>();

    @BeforeEach
    void nothingHasRun() {
        ran.clear();
    }

    @AfterEach
    void close() {
        fabric.close();
    }

    private int count(String name) {
        return ran.merge(name, 1, Integer::sum);
    }

    private WorkHandle<Receipt> order(TaskHandler<Order, Receipt> handler) {
        fabric.worker("shop").on(ORDER, handler).start();
        return fabric.submit(ORDER.with(new Order("tea", 2)));
    }

    @Test
    void a_value_goes_in_and_a_value_comes_out() throws Exception {
        var receipt = order((task, order) -> new Receipt(order.item(), 100L * order.count()));

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("tea", 200));
    }

    @Test
    void a_step_that_is_finished_does_not_run_again() throws Exception {
        var receipt =
                order(
                        (task, order) -> {
                            var charged =
                                    task.step(
                                            "charge",
                                            Receipt.class,
                                            () -> new Receipt("charge", count("charge")));
                            if (count("handler") < 3) {
                                throw new IllegalStateException("the post is closed");
                            }
                            return charged;
                        });

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("charge", 1));
        assertThat(ran).containsEntry("charge", 1).containsEntry("handler", 3);
    }

    @Test
    void a_sleep_ends_the_run_and_the_handler_goes_on_behind_it() throws Exception {
        var receipt =
                order(
                        (task, order) -> {
                            count("before");
                            task.sleep("rest", Duration.ofMillis(50));
                            return new Receipt("after", count("after"));
                        });

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("after", 1));
        assertThat(ran).containsEntry("before", 2);
    }

    @Test
    void a_signal_brings_a_value() throws Exception {
        var receipt =
                order((task, order) -> task.awaitSignal("paid", Receipt.class, SOON).orElseThrow());

        receipt.signal("paid", new Receipt("bank", 7));

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("bank", 7));
    }

    @Test
    void a_signal_that_does_not_come_is_nothing() throws Exception {
        var receipt =
                order(
                        (task, order) ->
                                task.awaitSignal("paid", Receipt.class, Duration.ofMillis(20))
                                        .orElse(new Receipt("nobody", 0)));

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("nobody", 0));
    }

    @Test
    void an_approval_with_a_token_is_asked_for_once() throws Exception {
        var tokens = new SynchronousQueue<String>();
        var receipt =
                order(
                        (task, order) -> {
                            var approval =
                                    task.awaitApproval(
                                            "boss",
                                            SOON,
                                            token -> {
                                                count("asked");
                                                put(tokens, token);
                                            });
                            return new Receipt(approval.verdict() + " by " + approval.by(), 0);
                        });

        fabric.approve(tokens.take(), "ada");

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("APPROVED by [ada]", 0));
        assertThat(ran).containsEntry("asked", 1);
    }

    @Test
    void two_have_to_approve_and_one_who_does_it_twice_is_one() throws Exception {
        var receipt =
                order(
                        (task, order) -> {
                            var approval = task.awaitApprovals("board", 2, SOON, token -> {});
                            return new Receipt(approval.verdict() + " " + approval.by(), 0);
                        });

        fabric.approve(receipt.id(), "board", "ada");
        fabric.approve(receipt.id(), "board", "ada");
        fabric.reject(receipt.id(), "board", "bob");

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("REJECTED [ada, bob]", 0));
    }

    @Test
    void children_are_awaited_and_their_results_read() throws Exception {
        var part = Kind.of("part", Integer.class, Integer.class).lane("parts");
        fabric.worker("parts").on(part, (task, number) -> number * number).start();

        var receipt =
                order(
                        (task, order) -> {
                            var children =
                                    task.awaitChildren(
                                            "squares",
                                            Flow.of("squares")
                                                    .task("three", part.with(3))
                                                    .task("four", part.with(4)));
                            return new Receipt(
                                    children.describe().state().wire(),
                                    children.result("three", Integer.class).orElseThrow()
                                            + children.result("four", Integer.class).orElseThrow());
                        });

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("completed", 25));
    }

    @Test
    void what_was_done_is_undone_in_reverse_when_the_work_fails_for_good() throws Exception {
        var undone = new CopyOnWriteArrayList<String>();
        var receipt =
                order(
                        (task, order) -> {
                            task.step("reserve", () -> count("reserve"));
                            task.compensate("unreserve", () -> undone.add("unreserve"));
                            task.step("charge", () -> count("charge"));
                            task.compensate(
                                    "refund",
                                    () -> {
                                        if (count("refund") == 1) {
                                            throw new IllegalStateException("the bank is closed");
                                        }
                                        undone.add("refund");
                                    });
                            task.step(
                                    "ship",
                                    () -> {
                                        count("ship");
                                        throw new IllegalStateException("no ships today");
                                    });
                            return new Receipt("never", 0);
                        });

        assertThatThrownBy(() -> receipt.await(SOON))
                .isInstanceOf(WorkFailed.class)
                .hasMessageContaining("no ships today");
        assertThat(undone).containsExactly("refund", "unreserve");
        assertThat(ran)
                .containsEntry("reserve", 1)
                .containsEntry("charge", 1)
                .containsEntry("ship", 4)
                .containsEntry("refund", 2);
    }

    @Test
    void work_that_was_past_a_change_keeps_to_the_old_code() throws Exception {
        var changed = new AtomicInteger();
        var receipt =
                order(
                        (task, order) -> {
                            int version = changed.get() == 0 ? 0 : task.version("new-carrier", 1);
                            task.step("book", () -> count("book"));
                            if (changed.getAndIncrement() == 0) {
                                throw new IllegalStateException("deployed meanwhile");
                            }
                            return new Receipt("version", version);
                        });

        assertThat(receipt.await(SOON)).isEqualTo(new Receipt("version", 0));
        var later = fabric.submit(ORDER.with(new Order("milk", 1)));
        assertThat(later.await(SOON)).isEqualTo(new Receipt("version", 1));
    }

    @Test
    void a_name_that_is_used_twice_is_refused_in_words() {
        assertMisused(
                (task, order) -> {
                    task.step("charge", () -> count("charge"));
                    task.step("charge", () -> count("charge"));
                    return new Receipt("never", 0);
                },
                "The handler of order uses the name charge twice.");
    }

    @Test
    void a_step_inside_a_step_is_refused_in_words() {
        assertMisused(
                (task, order) -> {
                    task.step("outer", () -> task.step("inner", () -> count("inner")));
                    return new Receipt("never", 0);
                },
                "asks for inner inside of the step outer");
    }

    @Test
    void another_order_than_before_is_refused_in_words() {
        assertMisused(
                (task, order) -> {
                    if (count("run") == 1) {
                        task.step("first", () -> count("first"));
                        throw new IllegalStateException("deployed meanwhile");
                    }
                    task.step("second", () -> count("second"));
                    return new Receipt("never", 0);
                },
                "asks for second where an earlier run recorded first");
        assertThat(ran).doesNotContainKey("second");
    }

    private void assertMisused(TaskHandler<Order, Receipt> handler, String words) {
        var receipt = order(handler);
        assertThatThrownBy(() -> receipt.await(SOON))
                .isInstanceOfSatisfying(
                        WorkFailed.class,
                        failed ->
                                assertThat(failed.failure().orElseThrow().category())
                                        .isEqualTo(Failure.PERMANENT))
                .hasMessageContaining(words);
    }

    @Test
    void a_handler_that_has_changed_its_order_undoes_nothing() {
        assertMisused(
                (task, order) -> {
                    boolean first = count("run") == 1;
                    task.step(first ? "charge" : "invoice", () -> count("charge"));
                    task.compensate("refund", () -> count("refund"));
                    if (first) {
                        throw new IllegalStateException("deployed meanwhile");
                    }
                    return new Receipt("never", 0);
                },
                "asks for invoice where an earlier run recorded charge");
        assertThat(ran).doesNotContainKey("refund").containsEntry("charge", 1);
    }

    @Test
    void exceptions_of_a_class_that_is_permanent_are_not_retried() {
        fabric.worker("shop")
                .permanent(IllegalArgumentException.class)
                .on(
                        ORDER,
                        (task, order) -> {
                            count("handler");
                            throw new NumberFormatException("not a number");
                        })
                .start();
        var receipt = fabric.submit(ORDER.with(new Order("tea", 2)));

        assertThatThrownBy(() -> receipt.await(SOON)).hasMessageContaining("not a number");
        assertThat(ran).containsEntry("handler", 1);
    }

    @Test
    void middleware_is_around_every_run_the_first_outermost() throws Exception {
        var order = new CopyOnWriteArrayList<String>();
        fabric.worker("shop")
                .around(
                        (task, inner) -> {
                            order.add("outer");
                            return inner.run();
                        })
                .around(
                        (task, inner) -> {
                            order.add("inner");
                            return inner.run();
                        })
                .on(ORDER, (task, input) -> new Receipt(task.kind(), 1))
                .start();

        assertThat(fabric.submit(ORDER.with(new Order("tea", 2))).await(SOON).of())
                .isEqualTo("order");
        assertThat(order).containsExactly("outer", "inner");
    }

    @Test
    void a_key_finds_the_work_that_there_is_whatever_its_input() throws Exception {
        var first = fabric.submit(ORDER.with(new Order("tea", 2)).key("ada"));
        var again = fabric.submit(ORDER.with(new Order("milk", 1)).key("ada"));

        assertThat(first.created()).isTrue();
        assertThat(again.created()).isFalse();
        assertThat(again.id()).isEqualTo(first.id());
    }

    @Test
    void methods_with_an_annotation_are_handlers() throws Exception {
        fabric.worker("shop").lane("orders").handlers(new Shop()).start();

        assertThat(fabric.submit(ORDER.with(new Order("tea", 2))).await(SOON))
                .isEqualTo(new Receipt("tea in attempt 1", 2));
    }

    static final class Shop {
        @Handles("order")
        Receipt order(DurableTask task, Order order) {
            return new Receipt(
                    "%s in attempt %d".formatted(order.item(), task.attempt()), order.count());
        }
    }

    @Test
    void a_flow_reads_like_its_graph() throws Exception {
        var cut = Kind.of("cut", String.class, String.class);
        fabric.worker("studio").on(cut, (task, film) -> film + "!").start();

        var flow =
                fabric.submit(
                        Flow.of("publish")
                                .task("video", cut.with("video"))
                                .task("captions", cut.with("captions"))
                                .task(
                                        "release",
                                        cut.with("release"),
                                        Flow.after("video", "captions")));

        assertThat(flow.await(SOON)).isEqualTo(FlowState.COMPLETED);
        assertThat(flow.result("release", String.class)).contains("release!");
    }

    @Test
    void cancelled_work_says_so_to_who_awaits_it() throws Exception {
        var one = fabric.submit(ORDER.with(new Order("tea", 2)).tag("customer", "ada"));

        assertThat(fabric.cancelAll(fabric.search().tag("customer", "ada"), "moved away").done())
                .isEqualTo(1);
        assertThatThrownBy(() -> one.await(SOON))
                .isInstanceOfSatisfying(
                        WorkFailed.class,
                        failed -> assertThat(failed.outcome()).isEqualTo(Outcome.CANCELLED))
                .hasMessageContaining("moved away");
    }

    @Test
    void who_awaits_for_too_long_is_told_how_the_work_is() {
        var one = fabric.submit(ORDER.with(new Order("tea", 2)));

        assertThatThrownBy(() -> one.await(Duration.ofMillis(10)))
                .isInstanceOf(AwaitTimedOut.class)
                .hasMessageContaining("it is waiting");
    }

    @Test
    void what_a_handler_says_is_kept_with_its_attempt() throws Exception {
        var receipt =
                order(
                        (task, order) -> {
                            task.log("boiling");
                            task.stream("tea", order);
                            return new Receipt("said", 2);
                        });
        receipt.await(SOON);

        var frames = fabric.engine().streams().tail(receipt.id(), 0, 0, 10).frames();
        assertThat(frames)
                .extracting(frame -> frame.type() + " " + frame.payload().asText())
                .isEqualTo(List.of("log boiling", "tea {\"item\":\"tea\",\"count\":2}"));
    }

    private static void put(SynchronousQueue<String> queue, String token) {
        try {
            queue.put(token);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
