package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Situation;
import io.flowfabric.engine.ManualTime;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Time stands still here: nobody finds anything by looking again after a while. */
class CapableWorkerTest {
    private static final int STRANGERS = 3;

    private final WorkerScenario world = new WorkerScenario(new ManualTime());

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void one_that_is_started_later_gets_at_once_what_the_others_could_not_do() {
        strangersWait();
        var work = submit("gpu", "torch>=2.3");
        assertThat(world.view(work).state().situation()).isEqualTo(Situation.WITHOUT_WORKER);

        start("gpu", "torch=2.4");

        eventually("it is done", () -> world.state(work) == PublicState.COMPLETED);
    }

    @Test
    void one_that_waits_is_woken_however_many_wait_that_cannot_do_it() {
        strangersWait();
        start("gpu", "torch=2.4");
        eventually("it waits", () -> world.tally.of("parked") == STRANGERS + 1);

        for (String need : List.of("torch>=2.3", "torch>=2.4", "gpu")) {
            var work = submit(need);
            eventually("it is done", () -> world.state(work) == PublicState.COMPLETED);
        }
    }

    @Test
    void a_range_of_versions_is_refused_where_it_is_offered() {
        assertThatThrownBy(() -> world.worker().offers("gpu", "torch>=2.3"))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        refusal ->
                                assertThat(refusal.code())
                                        .isEqualTo(Invalid.Code.COMPARISON_OFFERED));
    }

    @Test
    void one_does_not_start_under_the_instance_of_another() {
        world.start(world.worker().instance("host-1").handle("render", task -> Payload.EMPTY));
        var impostor =
                world.worker()
                        .name("printer")
                        .instance("host-1")
                        .handle("render", task -> Payload.EMPTY)
                        .build();

        assertThatThrownBy(impostor::start)
                .isInstanceOfSatisfying(
                        Conflict.class,
                        refusal ->
                                assertThat(refusal.code()).isEqualTo(Conflict.Code.INSTANCE_TAKEN));
    }

    private void strangersWait() {
        for (int i = 0; i < STRANGERS; i++) {
            start("torch=2." + i);
        }
        eventually("they wait", () -> world.tally.of("parked") == STRANGERS);
    }

    private void start(String... offers) {
        world.start(world.worker().offers(offers).handle("render", task -> Payload.EMPTY));
    }

    private ExecutionId submit(String... needs) {
        return world.submit("render", "", Policy.DEFAULT.needs(Capabilities.of(needs)));
    }
}
