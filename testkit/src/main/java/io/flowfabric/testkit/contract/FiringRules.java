package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.decision.ScheduledOccurrence;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.schedule.Firing;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** R1, R19, R21: each occurrence of a schedule is fired once, whichever engines try. */
abstract class FiringRules extends Rules {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int ENGINES = 8;
    private static final int ROUNDS = 5;

    FiringRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_new_schedule_is_due_at_once_and_then_when_its_next_occurrence_is() {
        var defined = define(hourly("tidy"));
        assertThat(due()).containsExactly(defined);

        var planned = fire(plan(defined)).orThrow();

        assertThat(planned.next()).contains(world.in(HOUR));
        assertThat(planned.due()).contains(world.in(HOUR));
        assertThat(planned.revision()).isEqualTo(2);
        assertThat(due()).isEmpty();
        assertThat(world.store().firings().due(10).next()).contains(HOUR);
        assertThat(world.store().firings().due(10).now()).isEqualTo(world.now());
        world.advance(HOUR.minusMillis(1));
        assertThat(due()).isEmpty();
        world.advance(Duration.ofMillis(1));
        assertThat(due()).containsExactly(planned);
    }

    @Test
    void an_occurrence_submits_its_work_which_says_where_it_comes_from() {
        var planned = planned(hourly("tidy"));
        world.advance(HOUR);

        var fired = fire(firing(planned)).orThrow();

        var last = fired.fired().orElseThrow();
        assertThat(last.occurrence()).isEqualTo(world.now());
        assertThat(last.at()).isEqualTo(world.now());
        assertThat(fired.next()).contains(world.in(HOUR));
        var view = world.view(last.execution());
        assertThat(view.key()).contains("schedule/tidy/" + world.now());
        assertThat(view.creator()).isEqualTo("schedule/tidy");
        assertThat(world.worker().claimOne().fence().execution()).isEqualTo(last.execution());
    }

    @Test
    void an_occurrence_is_fired_once_however_often_it_is_tried() {
        var planned = planned(hourly("tidy"));
        world.advance(HOUR);
        var firing = firing(planned);

        assertThat(fire(firing).isDone()).isTrue();

        assertThat(fire(firing)).isConflict(Conflict.Code.STALE_REVISION);
        assertThat(submitted()).isEqualTo(1);
    }

    @Test
    void of_many_engines_that_fire_at_once_one_does() {
        var next = planned(hourly("tidy"));
        for (int round = 1; round <= ROUNDS; round++) {
            world.advance(HOUR);
            var firing = firing(next);

            var answers = Crowd.of(ENGINES, i -> fire(firing));

            assertThat(answers.stream().filter(Answer::isDone)).hasSize(1);
            next = described("tidy");
            assertThat(next.revision()).isEqualTo(2 + round);
            assertThat(submitted()).isEqualTo(round);
        }
    }

    @Test
    void an_engine_that_was_away_fires_nothing_of_what_was_forgotten_since() {
        var brief = Policy.DEFAULT.retention(Duration.ofMillis(1));
        var planned = planned(Schedule.every("tidy", HOUR, work(brief)));
        world.advance(HOUR);
        var firing = firing(planned);
        fire(firing).orThrow();
        var worker = world.worker();
        world.end(complete(worker.claimOne())).orThrow();
        world.pass(Duration.ofMinutes(1));
        assertThat(submitted()).isZero();

        assertThat(fire(firing)).isConflict(Conflict.Code.STALE_REVISION);

        assertThat(submitted()).isZero();
    }

    @Test
    void what_was_paused_or_deleted_meanwhile_fires_nothing() {
        var paused = firing(planned(hourly("paused")));
        var deleted = firing(planned(hourly("deleted")));
        var changed = firing(planned(hourly("changed")));
        world.advance(HOUR);
        world.store().schedules().pause(Namespace.DEFAULT, "paused", Scenario.OLGA);
        world.store().schedules().delete(Namespace.DEFAULT, "deleted", Scenario.OLGA);
        define(hourly("changed").jitter(HOUR));

        assertThat(fire(paused)).isConflict(Conflict.Code.STALE_REVISION);
        assertThat(fire(deleted)).isNotFound("schedule");
        assertThat(fire(changed)).isConflict(Conflict.Code.STALE_REVISION);
        assertThat(submitted()).isZero();
    }

    @Test
    void the_clock_of_the_store_decides_what_is_due() {
        var planned = planned(hourly("tidy"));
        world.advance(HOUR.minusMillis(1));

        assertThat(fire(firing(planned))).isConflict(Conflict.Code.NOT_DUE);

        assertThat(submitted()).isZero();
        world.advance(Duration.ofMillis(1));
        assertThat(fire(firing(planned)).isDone()).isTrue();
    }

    @Test
    void several_occurrences_are_submitted_together_and_the_last_is_remembered() {
        var planned = planned(hourly("tidy"));
        world.advance(HOUR.multipliedBy(3));
        var first = planned.next().orElseThrow();
        var times = List.of(first, first.plus(HOUR), first.plus(HOUR).plus(HOUR));

        var fired = fire(firing(planned, times)).orThrow();

        assertThat(fired.fired().orElseThrow().occurrence()).isEqualTo(times.getLast());
        assertThat(submitted()).isEqualTo(3);
    }

    @Test
    void a_refusal_is_recorded_and_the_schedule_goes_on() {
        var lane = new Lane(Namespace.DEFAULT, "closed");
        var planned = planned(Schedule.every("tidy", HOUR, work().lane(lane)));
        world.configure(lane, LaneSettings.State.DISABLED);
        world.advance(HOUR);

        var refused = fire(firing(planned)).orThrow();

        assertThat(refused.fired()).isEmpty();
        assertThat(refused.refused().orElseThrow().occurrence()).isEqualTo(world.now());
        assertThat(refused.refused().orElseThrow().why()).contains("takes no new work");
        assertThat(refused.next()).contains(world.in(HOUR));
        assertThat(described("tidy")).isEqualTo(refused);
        world.configure(lane, LaneSettings.State.ACTIVE);
        world.advance(HOUR);
        assertThat(fire(firing(refused)).orThrow().fired()).isPresent();
    }

    @Test
    void one_bad_schedule_is_no_matter_of_the_others() {
        var unbounded = work(Policy.DEFAULT.quota("nobody defined it"));
        var bad = planned(Schedule.every("bad", HOUR, unbounded));
        var gone = planned(hourly("gone"));
        var good = planned(hourly("good"));
        world.store().schedules().delete(Namespace.DEFAULT, "gone", Scenario.OLGA);
        world.advance(HOUR);

        var answers =
                world.store().firings().fire(List.of(firing(bad), firing(gone), firing(good)));

        assertThat(answers.get(0).orThrow().refused().orElseThrow().why())
                .contains("nobody defined it");
        assertThat(answers.get(1)).isNotFound("schedule");
        assertThat(answers.get(2).orThrow().fired()).isPresent();
        assertThat(submitted()).isEqualTo(1);
    }

    @Test
    void a_schedule_without_a_further_occurrence_is_not_looked_at_again() {
        var defined = define(hourly("tidy"));

        var ended =
                fire(new Firing(
                                Namespace.DEFAULT,
                                "tidy",
                                defined.revision(),
                                List.of(),
                                defined.passed(),
                                Optional.empty(),
                                Optional.of("It cannot be read.")))
                        .orThrow();

        assertThat(ended.due()).isEmpty();
        assertThat(ended.refused().orElseThrow().why()).isEqualTo("It cannot be read.");
        assertThat(due()).isEmpty();
        assertThat(world.store().firings().due(10).next()).isEmpty();
    }

    @Test
    void the_longest_overdue_come_first_and_no_more_than_are_wanted() {
        var late = planned(hourly("late"));
        world.advance(HOUR.dividedBy(2));
        var later = planned(hourly("later"));
        world.advance(HOUR);

        assertThat(world.store().firings().due(1).schedules()).containsExactly(late);
        assertThat(due()).containsExactly(late, later);
    }

    private long submitted() {
        return world.find(Search.in(Namespace.DEFAULT)).size();
    }

    private List<ScheduleView> due() {
        return world.store().firings().due(10).schedules();
    }

    private ScheduleView define(Schedule schedule) {
        return world.store().schedules().define(schedule, Scenario.OLGA);
    }

    private ScheduleView described(String name) {
        return world.store().schedules().describe(Namespace.DEFAULT, name);
    }

    /** A schedule whose first occurrence is in an hour. */
    private ScheduleView planned(Schedule schedule) {
        return fire(plan(define(schedule))).orThrow();
    }

    private Firing plan(ScheduleView view) {
        return firing(view, List.of(), view.passed());
    }

    private Firing firing(ScheduleView view) {
        return firing(view, List.of(view.next().orElseThrow()));
    }

    private Firing firing(ScheduleView view, List<Instant> times) {
        return firing(view, times, times.getLast());
    }

    private static Firing firing(ScheduleView view, List<Instant> times, Instant passed) {
        var schedule = view.schedule();
        return new Firing(
                schedule.namespace(),
                schedule.name(),
                view.revision(),
                times.stream().map(at -> new ScheduledOccurrence(schedule, at).asDue()).toList(),
                passed,
                Optional.of(new ScheduledOccurrence(schedule, passed.plus(HOUR)).asNext()),
                Optional.empty());
    }

    private Answer<ScheduleView> fire(Firing firing) {
        return world.store().firings().fire(List.of(firing)).getFirst();
    }

    private static Schedule hourly(String name) {
        return Schedule.every(name, HOUR, work());
    }
}
