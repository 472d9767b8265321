package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Worker processes that are stopped with SIGSTOP past their session, and woken with SIGCONT. */
@ParameterizedClass
@EnumSource(StoreKind.class)
class FrozenWorkerTest {
    private static final Duration TTL = Duration.ofSeconds(2);

    private final FaultScenario world;

    FrozenWorkerTest(StoreKind store) {
        this.world = store.scenario();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void nothing_is_accepted_from_one_that_wakes_up_too_late_and_it_works_on() {
        var ids =
                FaultScenario.submit(
                        world.watched(), FaultScenario.work(WorkerProgram.HOLD, 8, Policy.DEFAULT));
        var frozen = world.process("frozen", TTL, ids.size()).awaitReady();
        Waiting.until("it works on all", () -> frozen.begun().size() == ids.size());
        var before = world.view(ids.getFirst()).owner().orElseThrow().session();
        var heir = world.process("heir", TTL, ids.size()).awaitReady();
        frozen.freeze();

        // First it wakes up while its heir works on what it had, then its handlers go on.
        Waiting.until("the heir has all", () -> heir.begun().size() == ids.size());
        frozen.write();
        frozen.thaw();
        Waiting.until("all have tried", () -> frozen.tried().size() == 3 * ids.size());
        heir.go();

        assertThat(frozen.tried()).allMatch(answer -> answer.endsWith(" LeaseLost"));
        var more =
                FaultScenario.submit(
                        world.watched(), FaultScenario.work("frozen", 20, Policy.DEFAULT));
        world.judge();
        for (var id : ids) {
            assertThat(world.result(id).result().orElseThrow().asText()).startsWith("heir ");
        }
        for (var id : more) {
            assertThat(world.steps(id, Transition.COMPLETE).getFirst().owner().orElseThrow())
                    .matches(owner -> owner.worker().equals("frozen"))
                    .matches(owner -> !owner.session().equals(before));
        }
    }

    @Test
    void all_work_ends_once_although_workers_are_frozen_amid_it() {
        var names = List.of("worker-0", "worker-1");
        var workers = names.stream().map(name -> world.process(name, TTL, 6)).toList();
        workers.forEach(WorkerProcess::awaitReady);
        var ids = new ArrayList<ExecutionId>();

        for (int round = 0; round < 3; round++) {
            ids.addAll(world.submit(200));
            var name = names.get(round % 2);
            var worker = workers.get(round % 2);
            Waiting.until("it is frozen at work", () -> freezesAtWork(worker, name));
            Waiting.until("its work is taken over", () -> !holdsWork(name));
            worker.thaw();
        }

        world.judge();
        assertThat(ids.stream().filter(id -> !world.steps(id, Transition.RECLAIM).isEmpty()))
                .isNotEmpty();
        assertThat(world.counts()).containsOnlyKeys(PublicState.COMPLETED);
    }

    private boolean freezesAtWork(WorkerProcess worker, String name) {
        worker.freeze();
        if (holdsWork(name)) {
            return true;
        }
        worker.thaw();
        return false;
    }

    private boolean holdsWork(String name) {
        var active = Search.in(Namespace.DEFAULT).states(PublicState.ACTIVE);
        return world.store().queries().search(active, Cursor.START, 1000).items().stream()
                .flatMap(view -> view.owner().stream())
                .anyMatch(owner -> owner.worker().equals(name));
    }
}
