package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals.Presented;
import io.flowfabric.core.signal.Signals.Wanted;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Signals through an engine are those of its store, and a token needs no key made before it. */
class KeyedSignalsTest {
    private static final Session SESSION = Session.of("worker", "one", "default");
    private static final Attribution BOSS = new Attribution("boss", "a test");

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = new MemoryStore(time);
    private final Engine engine =
            new Engine(store, EngineOptions.DEFAULT, EngineMetrics.NONE, time);

    @Test
    void a_token_that_is_wanted_before_there_is_a_key_is_given_and_sends_a_signal() {
        var at = suspended();
        assertThat(store.keys().list()).isEmpty();

        var token =
                engine.signals()
                        .tokens(List.of(new Wanted(at, Duration.ofDays(1))))
                        .getFirst()
                        .orThrow();

        assertThat(store.keys().list()).hasSize(1);
        assertThat(
                        engine.signals()
                                .present(List.of(Presented.approve(token, BOSS)))
                                .getFirst()
                                .orThrow()
                                .effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    void waitpoints_are_listed_of_an_execution_and_of_a_lane() {
        var at = suspended();

        assertThat(engine.signals().waitpoints(at.execution()))
                .extracting(WaitpointView::at)
                .containsExactly(at);
        assertThat(
                        engine.signals()
                                .waitpoints(Lane.DEFAULT, Optional.empty(), Cursor.START, 10)
                                .items())
                .extracting(WaitpointView::at)
                .containsExactly(at);
    }

    @Test
    void what_is_sent_is_read_back() {
        var at = suspended();
        var signal = Signal.approve(at, BOSS);

        assertThat(engine.signals().send(List.of(signal)).getFirst().orThrow().effect())
                .isEqualTo(Effect.RESUMED);

        assertThat(engine.signals().received(at.execution(), Cursor.START, 10).items())
                .extracting(received -> received.signal())
                .containsExactly(signal);
    }

    @Test
    void a_waitpoint_that_is_closed_is_open_no_more() {
        var at = suspended();

        assertThat(engine.signals().close(List.of(at), BOSS).getFirst().orThrow()).isEqualTo(at);

        assertThat(engine.signals().waitpoints(at.execution())).isEmpty();
    }

    /** Where work waits for the boss. */
    private Waitpoint suspended() {
        store.sessions().open(SESSION);
        store.submit(Submission.of("job", Payload.EMPTY));
        var fence = store.claims().claim(new Claim(SESSION.id(), 1, 1)).leases().getFirst().fence();
        var wait = Suspension.until("approval", Condition.signal("boss"));
        store.leases().end(List.of(new Ending.Suspend(fence, wait))).getFirst().orThrow();
        return new Waitpoint(fence.execution(), "boss");
    }
}
