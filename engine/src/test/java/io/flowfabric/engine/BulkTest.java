package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.net.SocketException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

class BulkTest {
    private static final Attribution ADA = new Attribution("ada", "clearing up");
    private static final Search FAILED =
            Search.in(Namespace.DEFAULT).kind("mail").states(PublicState.FAILED);
    private static final Search WAITING =
            Search.in(Namespace.DEFAULT).kind("mail").states(PublicState.WAITING);

    private final Store store = new MemoryStore(InstantSource.system());
    private boolean interruptBeforeItBreaks;

    @Test
    void a_dry_run_counts_and_changes_nothing() {
        submitted("mail", 2500);
        submitted("other", 10);

        assertThat(new Bulk(store, OperatorCommand.Cancel::new, ADA).count(WAITING))
                .isEqualTo(2500);
        assertThat(count(PublicState.WAITING)).isEqualTo(2510);
    }

    @Test
    void whatever_fits_is_acted_on_in_pieces_and_nothing_else() throws Exception {
        submitted("mail", 2500);
        submitted("other", 10);
        var heard = new ArrayList<Bulk.Progress>();

        var end = new Bulk(store, OperatorCommand.Cancel::new, ADA).run(WAITING, heard::add);

        assertThat(end).isEqualTo(new Bulk.Progress(2500, 2500, 0));
        assertThat(heard).extracting(Bulk.Progress::seen).containsExactly(1000L, 2000L, 2500L);
        assertThat(count(PublicState.CANCELLED)).isEqualTo(2500);
        assertThat(count(PublicState.WAITING)).isEqualTo(10);
    }

    @Test
    void one_that_was_interrupted_goes_on_where_it_stopped() throws Exception {
        var ids = submitted("mail", 2500);
        store.operations()
                .act(
                        ids.stream()
                                .limit(2000)
                                .map(
                                        id ->
                                                (OperatorCommand)
                                                        new OperatorCommand.Fail(
                                                                id, Failure.of("permanent", "no")))
                                .toList(),
                        ADA);
        var replay = new Bulk(store, OperatorCommand.Replay::new, ADA);

        assertThatThrownBy(() -> replay.run(FAILED, far -> Thread.currentThread().interrupt()))
                .isInstanceOf(InterruptedException.class);
        assertThat(count(PublicState.FAILED)).isEqualTo(1000);

        assertThat(replay.run(FAILED, far -> {})).isEqualTo(new Bulk.Progress(1000, 1000, 0));
        assertThat(count(PublicState.FAILED)).isZero();
        assertThat(count(PublicState.WAITING)).isEqualTo(2500);
    }

    @Test
    void an_interrupt_in_the_middle_of_a_call_is_an_interrupt_whatever_it_breaks() {
        var ids = submitted("mail", 3);
        var lost = new StoreFailure("The connection broke.", true, new SocketException());
        var cancel = new Bulk(breaking(lost), OperatorCommand.Cancel::new, ADA);

        assertThatThrownBy(() -> cancel.run(ids, far -> {})).isSameAs(lost);
        interruptBeforeItBreaks = true;
        assertThatThrownBy(() -> cancel.run(ids, far -> {}))
                .isInstanceOf(InterruptedException.class)
                .hasCause(lost);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    private Store breaking(StoreFailure failure) {
        return HookedStore.over(
                store,
                (name, call) -> {
                    if (interruptBeforeItBreaks) {
                        Thread.currentThread().interrupt();
                    }
                    throw failure;
                });
    }

    @Test
    void those_on_a_list_that_have_moved_on_are_counted_and_passed_over() throws Exception {
        var ids = new ArrayList<>(submitted("mail", 3));
        store.operations()
                .act(List.of(new OperatorCommand.Complete(ids.getFirst(), Payload.EMPTY)), ADA);
        ids.add(Submission.of("mail", Payload.EMPTY).id());

        var cancel = new Bulk(store, OperatorCommand.Cancel::new, ADA);

        assertThat(cancel.run(ids, far -> {})).isEqualTo(new Bulk.Progress(4, 2, 2));
        assertThat(cancel.run(ids, far -> {})).isEqualTo(new Bulk.Progress(4, 2, 2));
    }

    private List<ExecutionId> submitted(String kind, int count) {
        return store
                .submissions()
                .submit(
                        IntStream.range(0, count)
                                .mapToObj(i -> Submission.of(kind, Payload.EMPTY))
                                .toList())
                .stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    private long count(PublicState state) {
        return store.queries().counts(Namespace.DEFAULT).values().stream()
                .mapToLong(states -> states.getOrDefault(state, 0L))
                .sum();
    }
}
