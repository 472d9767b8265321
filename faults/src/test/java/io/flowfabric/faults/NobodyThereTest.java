package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.store.Maintenance.Duty;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** Engines that were stopped, and things that nobody knows: a sentence each, and no trace. */
class NobodyThereTest {
    private static final Attribution ADA = new Attribution("ada", "because");

    private final FaultScenario world = new FaultScenario();
    private final String before = begin();

    /**
     * An engine that starts makes the first key, and takes the turn at retention if it is time for
     * one; from then on nothing may change.
     */
    private String begin() {
        world.store().keys().first();
        assertThat(world.store().maintenance().takeTurn(Duty.RETENTION, Duration.ofMinutes(1)))
                .isTrue();
        return Servers.fingerprint(world.options(), world.schema());
    }

    @AfterEach
    void close() {
        try {
            assertThat(Servers.fingerprint(world.options(), world.schema())).isEqualTo(before);
        } finally {
            world.close();
        }
    }

    @Test
    void a_stopped_engine_takes_no_work() {
        var engine = world.engine();
        engine.stop();

        isUnavailable(() -> engine.submissions().submit(FaultScenario.work(1)));
    }

    @Test
    void a_stopped_engine_starts_no_worker_and_keeps_no_place() {
        var engine = world.engine();
        engine.stop();
        var session = Session.of("mailer", "here", FaultScenario.LANE.name());

        isUnavailable(() -> engine.place(session));
        isUnavailable(
                () ->
                        FaultScenario.worker(engine)
                                .handle(FaultScenario.KIND, task -> Payload.EMPTY)
                                .start());
    }

    @Test
    void what_nobody_knows_is_named() {
        var id = ExecutionId.mint();
        var session = SessionId.mint();
        var fence = new Fence(id, 0, 1);
        var store = world.store();

        isNamed(id, store.queries().describe(List.of(id)));
        isNamed(id, store.queries().inputs(List.of(id)));
        isNamed(id, store.queries().results(List.of(id)));
        isNamed(id, store.operations().act(List.of(new OperatorCommand.Cancel(id)), ADA));
        isNamed(id, store.leases().progress(List.of(new Progress(fence, 50, "half"))));
        isNamed(id, store.leases().end(List.of(new Ending.Complete(fence, Payload.EMPTY))));
        isNamed(session, store.sessions().heartbeat(List.of(Heartbeat.of(session))));
        assertThatThrownBy(() -> store.queries().history(id))
                .isInstanceOf(NotFound.class)
                .hasMessageContaining(id.toString());
        assertThatThrownBy(() -> store.claims().claim(new Claim(session, 1, 1)))
                .isInstanceOf(NotFound.class)
                .hasMessageContaining(session.toString());
        // Closing what is not open is what was wanted.
        store.sessions().close(session);
    }

    private static void isUnavailable(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("engine")
                .hasMessageContaining("start");
    }

    private static void isNamed(Object unknown, List<? extends Answer<?>> answers) {
        assertThat(answers)
                .singleElement()
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused ->
                                assertThat(refused.error())
                                        .isInstanceOf(NotFound.class)
                                        .hasMessageContaining(unknown.toString())
                                        .hasMessageContaining("it was never"));
    }
}
