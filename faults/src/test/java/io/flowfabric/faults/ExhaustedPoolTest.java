package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;

/** More callers than connections, and connections that do not come back. */
class ExhaustedPoolTest {
    private static final int CALLERS = 64;

    private final FaultScenario world = new FaultScenario();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void many_callers_share_two_connections_and_wait_for_them() throws Exception {
        var small = world.another(world.options().withConnections(2));
        var watched = world.watched(small);
        world.start(
                FaultScenario.worker(world.engine(watched))
                        .concurrency(CALLERS)
                        .handle(
                                FaultScenario.KIND,
                                task -> {
                                    task.progress(50, "half");
                                    return Payload.EMPTY;
                                }));

        var work = IntStream.range(0, CALLERS).mapToObj(i -> FaultScenario.work(10)).toList();
        for (var answer : atOnce(work, some -> submitOneByOne(watched, some))) {
            assertThat(answer.get()).allMatch(Answer::isDone);
        }

        world.judge();
        assertThat(world.counts()).containsExactly(entry(PublicState.COMPLETED, CALLERS * 10L));
    }

    @Test
    void whoever_gets_no_connection_or_no_lock_is_told_so_and_nothing_is_lost() throws Exception {
        var impatient =
                world.options()
                        .withConnections(3)
                        .withAcquireTimeout(Duration.ofMillis(300))
                        .withServerTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(1));
        var watched = world.watched(world.another(impatient));
        var work = IntStream.range(0, CALLERS).mapToObj(i -> FaultScenario.work(1)).toList();
        // Started before, so that it lives through it.
        world.start(
                FaultScenario.worker(world.engine(watched))
                        .handle(FaultScenario.KIND, task -> Payload.EMPTY));
        var errors = new ArrayList<FlowFabricException>();

        try (var holder = Servers.connect(world.options());
                var statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("lock table %s.execution".formatted(world.schema()));
            for (var answer : atOnce(work, some -> refusal(watched, some))) {
                errors.add(answer.get());
            }
            holder.rollback();
        }

        assertThat(errors).hasAtLeastOneElementOfType(Contended.class);
        assertThat(errors).hasAtLeastOneElementOfType(StoreFailure.class);
        for (var error : errors) {
            switch (error) {
                case Contended contended -> assertThat(contended.retryAfter()).isPositive();
                case StoreFailure failure ->
                        assertThat(failure)
                                .hasMessageContaining("All 3 connections")
                                .hasMessageContaining("the pool too small")
                                .matches(it -> !it.mayHaveApplied());
                case FlowFabricException other -> throw other;
            }
        }
        assertThat(world.counts()).as("what a refused call has left behind").isEmpty();

        for (var some : work) {
            FaultScenario.submit(watched, some);
        }
        world.judge();
        assertThat(world.counts()).containsExactly(entry(PublicState.COMPLETED, (long) CALLERS));
    }

    private static List<Answer<Submitted>> submitOneByOne(Store store, List<Submission> work) {
        return work.stream()
                .map(submission -> store.submissions().submit(List.of(submission)).getFirst())
                .toList();
    }

    private static FlowFabricException refusal(Store store, List<Submission> work) {
        try {
            throw new AssertionError("accepted: " + store.submissions().submit(work));
        } catch (FlowFabricException refusal) {
            return refusal;
        }
    }

    /** Does something with each of these, in as many threads. */
    private static <T, R> List<Future<R>> atOnce(List<T> items, Function<T, R> something) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return items.stream().map(item -> threads.submit(() -> something.apply(item))).toList();
        }
    }
}
