package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.schedule.CatchUp;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

class ScheduleFiringTest {
    private static final Attribution ADA = new Attribution("ada", "she was asked to");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Submission WORK = Submission.of("tidy", Payload.EMPTY);
    private static final EngineOptions OPTIONS = EngineOptions.DEFAULT.stopsWithJvm(false);

    private final ManualTime time = new ManualTime();
    private final MemoryStore memory = new MemoryStore(time);
    private final List<Engine> engines = new ArrayList<>();

    @AfterEach
    void stop() {
        engines.forEach(Engine::stop);
    }

    @Test
    void occurrences_are_fired_when_they_are_due() {
        var engine = started(memory);
        engine.schedules().define(Schedule.every("tidy", HOUR, WORK), ADA);
        eventually(time, "planned", () -> tidy().next().isPresent());
        var next = tidy().next().orElseThrow();

        time.skip(Duration.between(time.instant(), next).minusMillis(1));
        assertThat(submitted()).isEmpty();
        fired(1);

        assertThat(tidy().fired().orElseThrow().occurrence()).isEqualTo(next);
        assertThat(submitted())
                .extracting(view -> view.key().orElseThrow())
                .containsExactly("schedule/tidy/" + next);
    }

    @Test
    void of_many_engines_each_occurrence_is_fired_once() {
        var engine = started(memory);
        for (int n = 0; n < 3; n++) {
            started(memory);
        }
        engine.schedules().define(Schedule.every("tidy", HOUR, WORK), ADA);
        eventually(time, "planned", () -> tidy().next().isPresent());

        for (int round = 1; round <= 5; round++) {
            time.skip(Duration.between(time.instant(), tidy().next().orElseThrow()));
            fired(round);
            time.pass(Duration.ofSeconds(1));
            assertThat(submitted()).hasSize(round);
        }
    }

    @Test
    void an_engine_whose_answers_are_lost_fires_nothing_twice() {
        var lost = new AtomicInteger(3);
        var engine = started(losingAnswersOf("fire", lost));
        engine.schedules().define(Schedule.every("tidy", HOUR, WORK), ADA);
        eventually(time, "planned", () -> tidy().next().isPresent());

        for (int round = 1; round <= 4; round++) {
            lost.set(1);
            time.skip(Duration.between(time.instant(), tidy().next().orElseThrow()));
            fired(round);
            time.pass(Duration.ofSeconds(2));
            assertThat(submitted()).hasSize(round);
        }
    }

    @Test
    void what_was_missed_is_made_up_for_as_the_schedule_says() {
        var defining = started(memory);
        for (var catchUp : List.of(CatchUp.SKIP, CatchUp.ONE, CatchUp.upTo(3), CatchUp.ALL)) {
            var name = "up to " + catchUp.most();
            defining.schedules().define(Schedule.every(name, HOUR, WORK).catchUp(catchUp), ADA);
            eventually(time, "planned", () -> described(name).next().isPresent());
        }
        defining.stop();
        // Ten of them are missed, and it is half an hour after the last.
        time.skip(Duration.between(time.instant(), described("up to 1").next().orElseThrow()));
        time.skip(HOUR.multipliedBy(9).plusMinutes(30));

        started(memory);
        for (var name : List.of("up to 0", "up to 1", "up to 3", "up to 100")) {
            eventually(
                    time,
                    name + " goes on",
                    () -> described(name).next().filter(time.instant()::isBefore).isPresent());
        }

        assertThat(submittedBy("up to 0")).isZero();
        assertThat(submittedBy("up to 1")).isEqualTo(1);
        assertThat(submittedBy("up to 3")).isEqualTo(3);
        assertThat(submittedBy("up to 100")).isEqualTo(10);
    }

    @Test
    void what_is_a_little_late_is_not_missed() {
        var engine = started(memory);
        engine.schedules().define(Schedule.every("tidy", HOUR, WORK).catchUp(CatchUp.SKIP), ADA);
        eventually(time, "planned", () -> tidy().next().isPresent());

        time.skip(Duration.between(time.instant(), tidy().next().orElseThrow()).plusSeconds(30));

        fired(1);
    }

    @Test
    void occurrences_are_later_by_their_jitter_and_always_by_the_same() {
        var schedule = Schedule.every("tidy", HOUR, WORK).jitter(Duration.ofMinutes(10));
        var engine = started(memory);
        engine.schedules().define(schedule, ADA);
        eventually(time, "planned", () -> tidy().next().isPresent());
        var view = tidy();
        var late = Duration.between(view.next().orElseThrow(), view.due().orElseThrow());
        assertThat(late).isBetween(Duration.ofMillis(1), Duration.ofMinutes(10));

        engine.schedules().delete(Namespace.DEFAULT, "tidy", ADA);
        engine.schedules().define(schedule, ADA);
        eventually(time, "planned", () -> tidy().next().isPresent());
        assertThat(tidy().due()).isEqualTo(view.due());

        time.skip(Duration.between(time.instant(), view.due().orElseThrow()));
        fired(1);
        assertThat(tidy().fired().orElseThrow().occurrence()).isEqualTo(view.next().orElseThrow());
    }

    @Test
    void a_bad_schedule_does_not_stop_the_others() {
        var closed = new Lane(Namespace.DEFAULT, "closed");
        memory.lanes()
                .configure(closed, LaneSettings.DEFAULT.state(LaneSettings.State.DISABLED), ADA);
        memory.schedules().define(Schedule.cron("bad", "not cron", WORK), ADA);
        var engine = started(memory);
        engine.schedules().define(Schedule.every("refused", HOUR, WORK.lane(closed)), ADA);
        engine.schedules().define(Schedule.every("tidy", HOUR, WORK), ADA);
        eventually(time, "planned", () -> tidy().next().isPresent());

        time.skip(Duration.between(time.instant(), tidy().next().orElseThrow()));
        fired(1);

        assertThat(described("bad").refused().orElseThrow().why()).contains("not cron");
        eventually(time, "refused", () -> described("refused").refused().isPresent());
        assertThat(described("refused").next()).isPresent();
    }

    @Test
    void an_expression_that_cannot_be_read_is_refused_and_the_others_are_defined() {
        var engine = started(memory);

        var answers =
                engine.schedules()
                        .define(
                                List.of(
                                        Schedule.cron("bad", "every night", WORK),
                                        Schedule.cron("tidy", "0 3 * * *", WORK)),
                                ADA);

        assertThat(answers.get(0).isDone()).isFalse();
        assertThat(answers.get(1).isDone()).isTrue();
        assertThatThrownBy(() -> answers.get(0).orThrow())
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("0 3 * * 1-5");
        assertThat(memory.schedules().list(Namespace.DEFAULT, Cursor.START, 10).items()).hasSize(1);
    }

    @Test
    void an_engine_without_schedules_looks_every_five_seconds() {
        var looks = new AtomicInteger();
        var counting =
                HookedStore.over(
                        memory,
                        (method, call) -> {
                            if (method.equals("due")) {
                                looks.incrementAndGet();
                            }
                            return call.call();
                        });
        started(counting);
        eventually("it waits", () -> time.waiting("ff-schedules") == 1);
        looks.set(0);

        time.pass(Duration.ofMinutes(1));

        assertThat(looks.get()).isBetween(11, 13);
    }

    private Store losingAnswersOf(String name, AtomicInteger lost) {
        return HookedStore.over(
                memory,
                (method, call) -> {
                    var answer = call.call();
                    if (method.equals(name) && lost.getAndDecrement() > 0) {
                        throw new StoreFailure("the answer was lost", true, new Exception());
                    }
                    return answer;
                });
    }

    private Engine started(Store store) {
        var engine = new Engine(store, OPTIONS, EngineMetrics.NONE, time);
        engines.add(engine);
        engine.start();
        return engine;
    }

    private void fired(int count) {
        eventually(time, "fired " + count, () -> submitted().size() >= count);
    }

    private ScheduleView tidy() {
        return described("tidy");
    }

    private ScheduleView described(String name) {
        return memory.schedules().describe(Namespace.DEFAULT, name);
    }

    private long submittedBy(String name) {
        return submitted().stream()
                .filter(view -> view.creator().equals("schedule/" + name))
                .count();
    }

    private List<ExecutionView> submitted() {
        return memory.queries().search(Search.in(Namespace.DEFAULT), Cursor.START, 1000).items();
    }
}
