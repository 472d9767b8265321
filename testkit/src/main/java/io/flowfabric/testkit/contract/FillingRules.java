package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.idIn;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.query.TimeRange;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Rule 20: a page is full when enough fits, and little else is in between. What does not fit takes
 * no room on it.
 */
abstract class FillingRules extends Rules {
    private static final int PAGE = 3;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Lane STUDIO = Lane.of("studio");

    private static final Search ADAS =
            Search.in(Namespace.DEFAULT)
                    .lane(STUDIO.name())
                    .kind("paint")
                    .creator("ada")
                    .partition(new Partition(7));

    private static final Search ADAS_RED = ADAS.tag("colour", "red").tag("size", "xl");

    FillingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_page_of_waiting_work_is_full_when_enough_fits() {
        var wanted = among(() -> world.submit(adas()), others(world::submit));

        assertFull(ADAS, wanted);
    }

    @Test
    void a_page_of_tagged_work_is_full_when_enough_fits() {
        var others = new ArrayList<>(others(world::submit));
        others.add(() -> world.submit(adas().tag("colour", "blue")));
        others.add(() -> world.submit(adas().tag("size", "s")));

        var wanted = among(() -> world.submit(adas()), others);

        assertFull(ADAS_RED, wanted);
    }

    @Test
    void a_page_of_running_work_is_full_when_enough_fits() {
        var worker = world.worker(STUDIO, Lane.DEFAULT);

        var wanted = among(() -> run(adas(), worker), others(work -> run(work, worker)));

        assertFull(ADAS, wanted);
    }

    @Test
    void a_page_of_what_a_worker_holds_is_full_when_enough_fits() {
        var cleo = world.worker(STUDIO, Lane.DEFAULT);
        var dora = world.worker(STUDIO);
        var others = new ArrayList<>(others(work -> run(work, cleo)));
        others.add(() -> run(adas().tag("colour", "blue"), cleo));
        others.add(() -> run(adas(), dora));

        var wanted = among(() -> run(adas(), cleo), others);

        assertFull(ADAS_RED.worker(cleo.session().worker()), wanted);
    }

    @Test
    void a_page_of_ended_work_is_full_when_enough_fits() {
        var others = new ArrayList<>(others(this::cancelled));
        others.add(() -> world.submit(adas()));

        var wanted = among(() -> cancelled(adas()), others);

        assertFull(ADAS.states(PublicState.CANCELLED), wanted);
        assertFull(ADAS_RED.states(PublicState.CANCELLED), wanted);
    }

    @Test
    void a_page_of_what_changed_within_a_time_is_full_when_enough_fits() {
        var noon = world.in(MINUTE);
        var early = times(PAGE, () -> cancelled(adas()));
        world.advance(MINUTE);
        var wanted = times(PAGE, () -> cancelled(adas()));
        world.advance(MINUTE);
        var late = times(PAGE, () -> cancelled(adas()));

        assertFull(ADAS.changed(TimeRange.until(noon)), early);
        assertFull(ADAS.changed(TimeRange.between(noon, noon.plus(MINUTE))), wanted);
        assertFull(ADAS.changed(TimeRange.since(noon.plus(MINUTE))), late);
    }

    @Test
    void a_page_of_what_workers_lost_is_full_when_enough_fits() {
        var frail = world.worker(world.session(STUDIO));

        var wanted = among(() -> run(adas(), frail), List.of(() -> world.submit(adas())));
        world.bury(frail);

        assertFull(ADAS.onlyLapsed(), wanted);
    }

    /** Submits more of what is wanted than a page has room for, between as many of each other. */
    private static List<ExecutionId> among(
            Supplier<ExecutionId> wanted, List<Supplier<ExecutionId>> others) {
        others.forEach(other -> times(PAGE, other));
        var works = times(PAGE + 1, wanted);
        others.forEach(other -> times(PAGE, other));
        return works;
    }

    private static List<ExecutionId> times(int count, Supplier<ExecutionId> work) {
        var works = new ArrayList<ExecutionId>();
        for (int i = 0; i < count; i++) {
            works.add(work.get());
        }
        return works;
    }

    /** Work that differs from what is asked for in one respect each. */
    private static List<Supplier<ExecutionId>> others(Function<Submission, ExecutionId> begin) {
        return List.of(
                () -> begin.apply(adas().lane(Lane.DEFAULT)),
                () -> begin.apply(adas("carve")),
                () -> begin.apply(adas().creator("ben")),
                () -> begin.apply(adas().id(idIn(8))));
    }

    private static Submission adas() {
        return adas("paint");
    }

    private static Submission adas(String kind) {
        return Submission.of(kind, Payload.EMPTY)
                .id(idIn(7))
                .lane(STUDIO)
                .creator("ada")
                .tag("colour", "red")
                .tag("size", "xl");
    }

    private ExecutionId run(Submission submission, ScenarioWorker worker) {
        var work = world.submit(submission);
        world.claimByHand(work, worker).orThrow();
        return work;
    }

    private ExecutionId cancelled(Submission submission) {
        var work = world.submit(submission);
        world.cancel(work);
        return work;
    }

    private void assertFull(Search search, List<ExecutionId> wanted) {
        assertThat(firstPage(search)).hasSize(PAGE).isSubsetOf(wanted);
        assertThat(firstPage(search.newestFirst())).hasSize(PAGE).isSubsetOf(wanted);
    }

    private List<ExecutionId> firstPage(Search search) {
        return world.store().queries().search(search, Cursor.START, PAGE).items().stream()
                .map(view -> view.id())
                .toList();
    }
}
