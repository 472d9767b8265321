package io.flowfabric.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

class HookedStoreTest {
    private final List<HookedStore.Call> calls = new ArrayList<>();
    private final MemoryStore real = new MemoryStore(InstantSource.system());
    private final Store store =
            HookedStore.over(
                    real,
                    (name, call) -> {
                        calls.add(call);
                        return call.call();
                    });

    @Test
    void a_call_knows_what_it_is_about() {
        var work = List.of(submission(), submission());

        store.submissions().submit(work);

        assertThat(calls.getFirst().argument()).isEqualTo(work);
        assertThat(calls.getFirst().size()).isEqualTo(2);
    }

    @Test
    void a_call_without_arguments_is_about_nothing() {
        assertThat(store.feeds().beginning()).isNotNull();

        assertThat(calls.getFirst().argument()).isEqualTo(List.of());
        assertThat(calls.getFirst().size()).isZero();
    }

    private static Submission submission() {
        return Submission.of("mail", Payload.EMPTY);
    }
}
