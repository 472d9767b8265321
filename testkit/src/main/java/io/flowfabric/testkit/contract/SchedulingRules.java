package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.schedule.CatchUp;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** R20, R22: schedules are kept as they were defined, and operators pause, resume, delete them. */
abstract class SchedulingRules extends Rules {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Namespace SHOP = new Namespace("shop");

    /** A schedule with everything that one can have. */
    private static final Schedule WHOLE =
            Schedule.cron(
                            "nightly report",
                            "0 3 * * 1-5",
                            ZoneId.of("Europe/Berlin"),
                            Submission.of("report", Payload.of(new byte[] {0, -1, 7}, "x/y"))
                                    .lane(new Lane(SHOP, "reports"))
                                    .creator("ada")
                                    .tag("team", "books")
                                    .policy(Policy.DEFAULT.priority(7).deadline(Due.in(HOUR))))
                    .jitter(Duration.ofMinutes(5))
                    .catchUp(CatchUp.upTo(12));

    SchedulingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_schedule_reads_as_it_was_defined() {
        var defined = schedules().define(WHOLE, Scenario.OLGA);

        assertThat(defined.schedule()).isEqualTo(WHOLE);
        assertThat(defined.revision()).isEqualTo(1);
        assertThat(defined.paused()).isFalse();
        assertThat(defined.passed()).isEqualTo(world.now());
        assertThat(defined.next()).isEmpty();
        assertThat(defined.due()).contains(world.now());
        assertThat(defined.fired()).isEmpty();
        assertThat(defined.refused()).isEmpty();
        assertThat(defined.changed()).isEqualTo(world.now());
        assertThat(defined.by()).isEqualTo(Scenario.OLGA);
        assertThat(schedules().describe(SHOP, WHOLE.name())).isEqualTo(defined);
    }

    @Test
    void an_interval_reads_as_it_was_defined() {
        var schedule = hourly("tidy").startingAt(Instant.ofEpochMilli(1234));

        schedules().define(schedule, Scenario.OLGA);

        assertThat(described("tidy").schedule()).isEqualTo(schedule);
    }

    @Test
    void a_schedule_that_is_defined_as_it_was_is_left_alone() {
        var before = schedules().define(hourly("tidy"), Scenario.OLGA);
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));
        world.advance(HOUR);

        var again = schedules().define(hourly("tidy"), new Attribution("max", "a start"));

        assertThat(again).isEqualTo(before);
        assertThat(feed.read()).isEmpty();
    }

    @Test
    void another_timing_counts_from_the_change_on_and_other_work_does_not() {
        var defined = schedules().define(hourly("tidy"), Scenario.OLGA);
        world.advance(HOUR);

        var worked = schedules().define(hourly("tidy").jitter(HOUR), Scenario.OLGA);
        assertThat(worked.passed()).isEqualTo(defined.passed());
        assertThat(worked.revision()).isEqualTo(2);

        var timed =
                schedules()
                        .define(Schedule.every("tidy", HOUR.plusMillis(1), work()), Scenario.OLGA);
        assertThat(timed.passed()).isEqualTo(world.now());
        assertThat(timed.revision()).isEqualTo(3);
    }

    @Test
    void many_are_defined_in_one_call_each_with_its_answer() {
        var answers =
                schedules().define(List.of(hourly("a"), hourly("b"), hourly("a")), Scenario.OLGA);

        assertThat(answers).allSatisfy(answer -> assertThat(answer.isDone()).isTrue());
        assertThat(answers.get(2)).isEqualTo(answers.get(0));
        assertThat(listed(Namespace.DEFAULT, 10)).containsExactly("a", "b");
    }

    @Test
    void a_paused_schedule_is_not_due_until_it_is_resumed_and_counts_from_then_on() {
        schedules().define(hourly("tidy"), Scenario.OLGA);

        var paused = schedules().pause(Namespace.DEFAULT, "tidy", Scenario.OLGA);
        assertThat(paused.paused()).isTrue();
        assertThat(paused.due()).isEmpty();
        assertThat(world.store().firings().due(10).schedules()).isEmpty();
        assertThat(schedules().pause(Namespace.DEFAULT, "tidy", Scenario.OLGA)).isEqualTo(paused);

        world.advance(HOUR);
        var resumed = schedules().resume(Namespace.DEFAULT, "tidy", Scenario.OLGA);
        assertThat(resumed.paused()).isFalse();
        assertThat(resumed.passed()).isEqualTo(world.now());
        assertThat(resumed.due()).contains(world.now());
        assertThat(schedules().resume(Namespace.DEFAULT, "tidy", Scenario.OLGA)).isEqualTo(resumed);
    }

    @Test
    void a_paused_schedule_stays_so_when_it_is_defined_anew() {
        schedules().define(hourly("tidy"), Scenario.OLGA);
        schedules().pause(Namespace.DEFAULT, "tidy", Scenario.OLGA);

        var again = schedules().define(hourly("tidy").jitter(HOUR), Scenario.OLGA);

        assertThat(again.paused()).isTrue();
        assertThat(again.due()).isEmpty();
    }

    @Test
    void a_deleted_schedule_is_gone_and_deleting_it_again_is_success() {
        schedules().define(hourly("tidy"), Scenario.OLGA);

        schedules().delete(Namespace.DEFAULT, "tidy", Scenario.OLGA);
        schedules().delete(Namespace.DEFAULT, "tidy", Scenario.OLGA);

        assertThat(asked(() -> described("tidy"))).isNotFound("schedule");
        assertThat(asked(() -> schedules().pause(Namespace.DEFAULT, "tidy", Scenario.OLGA)))
                .isNotFound("schedule");
        assertThat(listed(Namespace.DEFAULT, 10)).isEmpty();
        assertThat(world.store().firings().due(10).schedules()).isEmpty();
    }

    @Test
    void schedules_are_listed_by_name_page_by_page_and_by_namespace() {
        schedules().define(WHOLE, Scenario.OLGA);
        for (var name : List.of("c", "a", "d", "b")) {
            schedules().define(hourly(name), Scenario.OLGA);
        }

        assertThat(listed(Namespace.DEFAULT, 2)).containsExactly("a", "b", "c", "d");
        assertThat(listed(SHOP, 2)).containsExactly(WHOLE.name());
        assertThat(listed(new Namespace("other"), 2)).isEmpty();
    }

    @Test
    void what_operators_do_is_told_in_the_feed_once() {
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));

        schedules().define(hourly("tidy"), Scenario.OLGA);
        schedules().pause(Namespace.DEFAULT, "tidy", Scenario.OLGA);
        schedules().pause(Namespace.DEFAULT, "tidy", Scenario.OLGA);
        schedules().resume(Namespace.DEFAULT, "tidy", Scenario.OLGA);
        schedules().delete(Namespace.DEFAULT, "tidy", Scenario.OLGA);
        schedules().delete(Namespace.DEFAULT, "tidy", Scenario.OLGA);

        assertThat(feed.read())
                .extracting(event -> ((Event.ScheduleChange) event).change())
                .containsExactly("define", "pause", "resume", "delete");
    }

    @Test
    void what_cannot_be_a_schedule_is_refused() {
        assertThat(asked(() -> hourly(""))).isInvalid(Invalid.Code.EMPTY);
        assertThat(asked(() -> hourly("n".repeat(129)))).isInvalid(Invalid.Code.TOO_LONG);
        assertThat(asked(() -> Schedule.every("a", Duration.ofMillis(999), work())))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
        assertThat(asked(() -> Schedule.cron("a", " ", work()))).isInvalid(Invalid.Code.EMPTY);
        assertThat(asked(() -> Schedule.cron("a", "0 3 * * *", work().key("mine"))))
                .isInvalid(Invalid.Code.CONTRADICTORY);
        assertThat(asked(() -> hourly("a").zone(ZoneId.of("Europe/Berlin"))))
                .isInvalid(Invalid.Code.CONTRADICTORY);
        assertThat(asked(() -> CatchUp.upTo(101))).isInvalid(Invalid.Code.OUT_OF_RANGE);
        var fixed = Policy.DEFAULT.deadline(Due.at(Instant.ofEpochMilli(1)));
        assertThat(asked(() -> Schedule.every("a", HOUR, work(fixed))))
                .isInvalid(Invalid.Code.CONTRADICTORY);
    }

    private Schedules schedules() {
        return world.store().schedules();
    }

    private ScheduleView described(String name) {
        return schedules().describe(Namespace.DEFAULT, name);
    }

    private List<String> listed(Namespace namespace, int pageSize) {
        var names = new ArrayList<String>();
        var after = Cursor.START;
        do {
            var page = schedules().list(namespace, after, pageSize);
            page.items().forEach(view -> names.add(view.schedule().name()));
            after = page.next();
        } while (!after.equals(Cursor.END));
        return names;
    }

    private static Schedule hourly(String name) {
        return Schedule.every(name, HOUR, work());
    }
}
