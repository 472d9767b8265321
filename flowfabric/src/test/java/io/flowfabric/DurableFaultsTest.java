package io.flowfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What durable code does when handlers misbehave and the store is away. */
class DurableFaultsTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private static final int HURRY = 20;

    private static final Kind<String, String> TRIP =
            Kind.of("trip", String.class, String.class).retry(Retry.NEVER);

    private final AtomicInteger refusedSteps = new AtomicInteger();
    private final AtomicBoolean frameLost = new AtomicBoolean();
    private final AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
    private final FlowFabric fabric =
            FlowFabric.on(
                    HookedStore.over(new MemoryStore(hurrying()), this::around),
                    FabricOptions.DEFAULT);
    private final Map<String, Integer> ran = new ConcurrentHashMap<>();
    private final List<String> undone = new CopyOnWriteArrayList<>();

    /** A clock by which half a minute of tries is over in seconds. */
    private static InstantSource hurrying() {
        var began = Instant.now();
        return () -> began.plus(Duration.between(began, Instant.now()).multipliedBy(HURRY));
    }

    @AfterEach
    void close() {
        fabric.close();
    }

    /** Steps get no answer for as long as some are to be refused; what is sent is stored. */
    private Object around(String name, HookedStore.Call call) throws Exception {
        var answer = call.call();
        if (name.equals("checkpoint") && refusedSteps.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            throw cut();
        }
        if (name.equals("append") && frameLost.getAndSet(false)) {
            throw cut();
        }
        if (name.equals("describe") && call.argument() instanceof List<?> ids) {
            Optional.ofNullable(ids.getFirst() instanceof FlowId ? meanwhile.getAndSet(null) : null)
                    .ifPresent(Runnable::run);
        }
        return answer;
    }

    private static StoreFailure cut() {
        return new StoreFailure("The line is cut.", true, new IllegalStateException());
    }

    private int count(String name) {
        return ran.merge(name, 1, Integer::sum);
    }

    private WorkHandle<String> trip(TaskHandler<String, String> handler) {
        fabric.worker("agency").ttl(SOON.multipliedBy(2 * HURRY)).on(TRIP, handler).start();
        return fabric.submit(TRIP.with("Rome"));
    }

    @Test
    void a_step_whose_record_got_no_answer_is_recorded_again_and_not_done_again() throws Exception {
        refusedSteps.set(3);
        var trip = trip((task, to) -> task.step("book", String.class, () -> "" + count("book")));

        assertThat(trip.await(SOON)).isEqualTo("1");
        assertThat(ran).containsEntry("book", 1);
        assertThat(trip.describe().attempts()).isEqualTo(1);
    }

    @Test
    void what_is_to_be_undone_is_undone_although_the_store_is_away_meanwhile() {
        var trip =
                trip(
                        (task, to) -> {
                            task.compensate("flight", () -> undone.add("flight"));
                            refusedSteps.set(4);
                            throw new IllegalStateException("no seats");
                        });

        assertFails(trip, "no seats");
        assertThat(undone).containsExactly("flight");
    }

    @Test
    void an_error_and_an_interruption_of_its_own_are_undone_like_any_failure() {
        var thrown = List.of(new AssertionError("a bug"), new InterruptedException("of its own"));
        var trips = new AtomicInteger();
        TaskHandler<String, String> handler =
                (task, to) -> {
                    task.compensate("flight", () -> undone.add("flight"));
                    switch (thrown.get(trips.getAndIncrement())) {
                        case Error error -> throw error;
                        case Exception exception -> throw exception;
                        default -> throw new IllegalStateException();
                    }
                };

        assertFails(trip(handler), "a bug");
        assertFails(fabric.submit(TRIP.with("Oslo")), "of its own");
        assertThat(undone).containsExactly("flight", "flight");
    }

    @Test
    void an_undo_that_ends_with_an_error_is_tried_again() {
        var trip =
                trip(
                        (task, to) -> {
                            task.compensate("flight", () -> undone.add("flight"));
                            task.compensate(
                                    "hotel",
                                    () -> {
                                        if (count("hotel") == 1) {
                                            throw new AssertionError("full");
                                        }
                                        undone.add("hotel");
                                    });
                            throw new IllegalStateException("no cars");
                        });

        assertFails(trip, "no cars");
        assertThat(undone).containsExactly("hotel", "flight");
    }

    @Test
    void compensations_whose_names_look_like_tries_of_others_are_undone() {
        var trip =
                trip(
                        (task, to) -> {
                            task.compensate("hotel 1", () -> undone.add("hotel 1"));
                            task.compensate("1.0 hotel", () -> undone.add("1.0 hotel"));
                            task.compensate(
                                    "hotel",
                                    () -> {
                                        if (count("hotel") == 1) {
                                            throw new IllegalStateException("closed");
                                        }
                                        undone.add("hotel");
                                    });
                            throw new IllegalStateException("no cars");
                        });

        assertFails(trip, "no cars");
        assertThat(undone).containsExactly("hotel", "1.0 hotel", "hotel 1");
    }

    @Test
    void a_run_that_fails_on_its_way_to_the_undoing_is_repeated() {
        var trip =
                trip(
                        (task, to) -> {
                            task.step("book", () -> count("book"));
                            if (count("run") == 2) {
                                throw new IllegalStateException("no settings");
                            }
                            task.compensate("flight", () -> undone.add("flight"));
                            task.compensate("hotel", () -> undoHotel("hotel"));
                            throw new IllegalStateException("no cars");
                        });

        assertFails(trip, "no cars");
        assertThat(undone).containsExactly("hotel", "flight");
        assertThat(ran).containsEntry("run", 3).containsEntry("book", 1);
    }

    @Test
    void a_run_that_goes_further_than_the_one_that_failed_undoes_no_more_than_that_would() {
        var trip =
                trip(
                        (task, to) -> {
                            task.compensate("hotel", () -> undoHotel("hotel"));
                            if (count("run") == 1) {
                                throw new IllegalStateException("no cars");
                            }
                            task.compensate("car", () -> undone.add("car"));
                            return "never";
                        });

        assertFails(trip, "no cars");
        assertThat(undone).containsExactly("hotel");
    }

    private void undoHotel(String name) {
        if (count(name) == 1) {
            throw new IllegalStateException("closed");
        }
        undone.add(name);
    }

    @Test
    void a_replay_tries_again_what_could_not_be_undone_and_nothing_else() {
        var open = new AtomicBoolean();
        var trip =
                trip(
                        (task, to) -> {
                            task.compensate("flight", () -> undone.add("flight"));
                            task.compensate("misused", () -> misuse(task, open));
                            task.step("book", () -> count("book"));
                            throw new IllegalStateException("no cars");
                        });

        assertFails(trip, "no cars; could not be undone: misused");
        assertThat(undone).containsExactly("flight");
        open.set(true);
        fabric.engine()
                .operations()
                .act(
                        List.of(new OperatorCommand.Replay(trip.id())),
                        new Attribution("ada", "it is open now"))
                .getFirst()
                .orThrow();

        assertFails(trip, "no cars");
        assertThat(undone).containsExactly("flight", "misused");
        assertThat(ran).containsEntry("book", 1).doesNotContainKey("inside");
    }

    /** An undo has no steps of its own. */
    private void misuse(DurableTask task, AtomicBoolean open) throws Exception {
        if (open.get()) {
            undone.add("misused");
        } else {
            task.step("inside", () -> count("inside"));
        }
    }

    @Test
    void a_result_that_is_too_large_is_undone() {
        var trip =
                trip(
                        (task, to) -> {
                            task.compensate("flight", () -> undone.add("flight"));
                            return "x".repeat(2 << 20);
                        });

        assertFails(trip, "more than the");
        assertThat(undone).containsExactly("flight");
    }

    @Test
    void a_compensation_inside_of_a_step_is_refused() {
        var trip =
                trip(
                        (task, to) ->
                                task.step(
                                        "book",
                                        String.class,
                                        () -> {
                                            task.compensate("flight", () -> count("flight"));
                                            return "booked";
                                        }));

        assertFails(trip, "asks for flight inside of the step book");
    }

    @Test
    void a_name_that_cannot_be_recorded_is_refused_before_its_step_runs() {
        var trip = trip((task, to) -> task.step("", String.class, () -> "" + count("book")));

        assertFails(trip, "must not be empty");
        assertThat(ran).isEmpty();
    }

    @Test
    void a_wait_that_is_caught_does_nothing_more_and_one_that_is_wrapped_waits() throws Exception {
        var trip =
                trip(
                        (task, to) -> {
                            try {
                                task.sleep("rest", Duration.ofMillis(50));
                            } catch (Throwable kept) {
                                count("caught");
                            }
                            try {
                                return task.step("book", String.class, () -> "" + count("book"));
                            } catch (Error wait) {
                                throw new IllegalStateException(wait);
                            }
                        });

        assertThat(trip.await(SOON)).isEqualTo("1");
        assertThat(ran).containsEntry("caught", 1).containsEntry("book", 1);
    }

    @Test
    void children_that_the_worker_before_has_submitted_at_the_last_moment_are_awaited()
            throws Exception {
        var part = Kind.of("part", String.class, String.class);
        fabric.worker("parts").on(part, (task, name) -> name).start();
        var before = Flow.of("parts").task("one", part.with("before"));
        var children = Flow.of("parts").task("one", part.with("one"));
        var trip =
                trip(
                        (task, to) -> {
                            if (count("run") == 1) {
                                meanwhile.set(() -> submitBelow(task, before));
                            }
                            var parts = task.awaitChildren("parts", children);
                            return parts.result("one", String.class).orElseThrow();
                        });

        assertThat(trip.await(SOON)).isEqualTo("before");
        assertThat(meanwhile).hasNullValue();
    }

    private void submitBelow(DurableTask task, Flow children) {
        fabric.engine()
                .flows()
                .submit(children.submission(fabric).below(task.execution(), "parts"));
    }

    @Test
    void a_frame_that_got_no_answer_does_not_keep_the_next_one_out() throws Exception {
        frameLost.set(true);
        var trip =
                trip(
                        (task, to) -> {
                            try {
                                task.log("packing");
                            } catch (StoreFailure unheard) {
                                count("unheard");
                            }
                            task.log("leaving");
                            return "gone";
                        });

        assertThat(trip.await(SOON)).isEqualTo("gone");
        assertThat(ran).containsEntry("unheard", 1);
        assertThat(fabric.engine().streams().tail(trip.id(), 0, 0, 10).frames())
                .extracting(frame -> frame.payload().asText())
                .containsExactly("packing", "leaving");
    }

    private static void assertFails(WorkHandle<String> trip, String words) {
        assertThatThrownBy(() -> trip.await(Duration.ofSeconds(60)))
                .isInstanceOf(WorkFailed.class)
                .hasMessageContaining(words);
    }
}
