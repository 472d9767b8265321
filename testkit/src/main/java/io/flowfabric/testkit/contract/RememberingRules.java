package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** Rule 4: who held the lease, when, and how it ended can be read back. */
abstract class RememberingRules extends Rules {
    RememberingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    /** R33: a renewal is told of the lease in the history of its execution. */
    @Test
    @BatchAnswers("W33")
    void the_history_of_a_lease_reads_from_acquired_to_released() {
        var work = world.submit();
        var first = world.frailWorker();
        first.claimOne();
        world.pass(Duration.ofSeconds(10));
        first.beat().orThrow();
        world.bury(first);
        var second = world.worker();
        second.claimOne();
        world.revoke(work);
        world.end(release(second.claimOne())).orThrow();
        world.end(complete(second.claimOne())).orThrow();

        assertThat(leaseHistory(work))
                .containsExactly(
                        "acquired worker-1 1",
                        "renewed worker-1",
                        "expired worker-1 1",
                        "reclaimed worker-2 2",
                        "revoked worker-2 2",
                        "reclaimed worker-2 3",
                        "released worker-2 3",
                        "acquired worker-2 4",
                        "released worker-2 4");
    }

    @Test
    void a_heartbeat_is_one_event_and_is_shown_with_each_execution_that_it_renews() {
        var works = world.submit(2, Given::work);
        var worker = world.worker();
        worker.claim(2);
        world.advance(Duration.ofSeconds(1));
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));

        worker.beat().orThrow();

        var renewal =
                new Event.Renewal(
                        worker.owner(),
                        worker.session().namespace(),
                        world.now(),
                        world.in(worker.session().ttl()));
        assertThat(feed.read()).containsExactly(renewal);
        assertThat(works)
                .allSatisfy(
                        work ->
                                assertThat(world.store().queries().history(work))
                                        .last()
                                        .isEqualTo(renewal));
    }

    @Test
    void a_heartbeat_is_shown_as_long_as_the_lease_is_held_whatever_else_happens() {
        var work = world.submit();
        var worker = world.worker();
        worker.claimOne();
        world.advance(Duration.ofSeconds(1));
        world.act(new OperatorCommand.Reprioritise(work, 5)).orThrow();
        world.advance(Duration.ofSeconds(1));
        worker.beat().orThrow();

        assertThat(leaseHistory(work)).containsExactly("acquired worker-1 1", "renewed worker-1");
    }

    @Test
    void a_heartbeat_is_not_shown_with_what_its_session_does_not_hold() {
        var work = world.submit();
        var holder = world.worker();
        var bystander = world.worker();
        holder.beat().orThrow();
        world.advance(Duration.ofSeconds(1));
        var lease = holder.claimOne();
        world.advance(Duration.ofSeconds(1));
        bystander.beat().orThrow();
        world.end(complete(lease)).orThrow();
        world.advance(Duration.ofSeconds(1));
        holder.beat().orThrow();

        assertThat(leaseHistory(work))
                .containsExactly("acquired worker-1 1", "released worker-1 1");
    }

    /** What happened to the leases of an execution: the change, the worker, which lease. */
    private List<String> leaseHistory(ExecutionId work) {
        return world.store().queries().history(work).stream()
                .flatMap(event -> leaseChange(work, event).stream())
                .toList();
    }

    private Optional<String> leaseChange(ExecutionId work, Event event) {
        return event.leaseChange()
                .map(change -> change.name().toLowerCase(Locale.ROOT) + " " + holder(work, event));
    }

    private String holder(ExecutionId work, Event event) {
        return event instanceof Event.Step step
                ? "%s %d"
                        .formatted(
                                step.owner().orElseThrow().worker(),
                                world.epochs(work).indexOf(step.epoch()) + 1)
                : ((Event.Renewal) event).owner().worker();
    }
}
