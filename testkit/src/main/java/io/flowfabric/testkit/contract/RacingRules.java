package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.FeedReader.steps;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.groupingBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The rules again, for many at once: whichever comes first, the end is one that a single thread
 * could have reached.
 */
abstract class RacingRules extends Rules {
    private static final int THREADS = 16;
    private static final int ROUNDS = 25;

    RacingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void many_workers_claim_every_execution_exactly_once() {
        var works = world.submit(500, Given::work);
        var workers = Stream.generate(world::worker).limit(THREADS).toList();

        var claimed = Crowd.of(THREADS, i -> drain(workers.get(i)));

        assertThat(claimed.stream().flatMap(List::stream).map(Given::idOf))
                .containsExactlyInAnyOrderElementsOf(works);
        for (int i = 0; i < THREADS; i++) {
            var session = workers.get(i).session().id();
            assertThat(claimed.get(i)).allMatch(lease -> lease.session().equals(session));
        }
        assertThat(works).allSatisfy(work -> assertThat(world.view(work)).hasBegun(1));
    }

    @Test
    void one_claim_repeated_by_many_is_one_claim() {
        world.submit(100, Given::work);
        var worker = world.worker();

        var answers = Crowd.of(THREADS, i -> worker.claim(1, 5));

        assertThat(answers).allMatch(leases -> leases.equals(answers.getFirst()));
        assertThat(answers.getFirst()).hasSize(5);
        assertThat(world.find(Search.in(Namespace.DEFAULT).states(PublicState.ACTIVE))).hasSize(5);
    }

    @Test
    void one_key_submitted_by_many_is_one_execution() {
        for (int round = 0; round < ROUNDS; round++) {
            var key = "order-" + round;

            var answers = Crowd.of(THREADS, i -> world.offer(work().key(key)).orThrow());

            assertThat(answers).extracting(Submitted::id).containsOnly(answers.getFirst().id());
            assertThat(answers).filteredOn(Submitted::created).hasSize(1);
        }
        assertThat(world.find(Search.in(Namespace.DEFAULT))).hasSize(ROUNDS);
    }

    @Test
    void what_is_forgotten_and_replayed_at_once_is_one_of_them() {
        for (int round = 0; round < ROUNDS; round++) {
            var lane = world.newLane();
            var policy = Policy.DEFAULT.retention(Duration.ZERO);
            var works = world.submit(100, () -> work(policy).lane(lane));
            var cancels = works.stream().<OperatorCommand>map(OperatorCommand.Cancel::new).toList();
            world.store().operations().act(cancels, Scenario.OLGA).forEach(Answer::orThrow);
            // Also within the millisecond of their end.
            world.advance(Duration.ofMillis(round % 2));

            var answers =
                    Crowd.<List<Answer<?>>>together(
                            List.of(
                                    () -> replayed(works),
                                    () -> {
                                        world.tick(Chore.RETENTION, 1000);
                                        return List.of();
                                    }));

            for (int i = 0; i < works.size(); i++) {
                if (answers.getFirst().get(i).isDone()) {
                    assertThat(world.describe(works.get(i))).isDone();
                } else {
                    assertThat(answers.getFirst().get(i)).isNotFound("execution");
                    assertThat(world.describe(works.get(i))).isNotFound("execution");
                }
            }
        }
    }

    /** What comes of replaying these one by one, from the last, until one is gone. */
    private List<Answer<?>> replayed(List<ExecutionId> works) {
        var answers = new ArrayList<Answer<?>>();
        boolean gone = false;
        for (ExecutionId work : works.reversed()) {
            answers.addFirst(
                    gone ? world.describe(work) : world.act(new OperatorCommand.Replay(work)));
            gone = !answers.getFirst().isDone();
        }
        return answers;
    }

    @Test
    void one_lease_ended_by_many_is_ended_one_way() {
        for (int round = 0; round < ROUNDS; round++) {
            var lease = world.begun();

            var answers =
                    Crowd.of(
                            THREADS,
                            i -> world.end(complete(lease, Payload.text("result " + i % 2))));

            var result = world.result(idOf(lease)).orThrow().result().orElseThrow();
            for (int i = 0; i < THREADS; i++) {
                if (result.equals(Payload.text("result " + i % 2))) {
                    assertThat(answers.get(i)).isDone();
                } else {
                    assertThat(answers.get(i)).isConflict(Conflict.Code.ENDED_DIFFERENTLY);
                }
            }
            assertThat(world.transitions(idOf(lease)))
                    .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.COMPLETE);
        }
    }

    @Test
    void work_that_is_finished_and_cancelled_at_once_is_one_of_them_and_the_other_is_told() {
        for (int round = 0; round < ROUNDS; round++) {
            var lease = world.begun();
            var work = idOf(lease);

            var answers =
                    Crowd.<Answer<?>>together(
                            List.of(
                                    () -> world.end(complete(lease)),
                                    () -> world.act(new OperatorCommand.Cancel(work))));

            if (answers.get(0).isDone()) {
                assertThat(answers.get(1)).isConflict(Conflict.Code.ALREADY_FINISHED);
                assertThat(world.view(work)).endedAs(Outcome.SUCCESS);
            } else {
                assertThat(answers.get(0)).isLeaseLost(PublicState.CANCELLED, 1);
                assertThat(answers.get(1)).isDone();
                assertThat(world.view(work)).endedAs(Outcome.CANCELLED);
            }
            assertThat(world.steps(work)).filteredOn(step -> step.now().terminal()).hasSize(1);
        }
    }

    @Test
    void a_worker_that_dies_and_finishes_at_once_does_one_of_them() {
        for (int round = 0; round < ROUNDS; round++) {
            var lease = world.begun();
            var ended =
                    Crowd.<Answer<?>>together(
                                    List.of(() -> world.end(complete(lease)), () -> closing(lease)))
                            .getFirst();

            if (ended.isDone()) {
                assertThat(world.view(lease)).endedAs(Outcome.SUCCESS).hasLapsed(0);
            } else {
                assertThat(ended).isLeaseLost();
                assertThat(world.view(lease)).reads(new Ready(LeasePurpose.RECLAIM)).hasLapsed(1);
            }
        }
    }

    @Test
    @BatchAnswers("P32")
    void batches_that_cross_each_other_lose_no_lease() {
        world.submit(64, Given::work);
        var leases = world.worker().claim(64);
        var backwards = leases.reversed();

        var answers =
                Crowd.<List<? extends Answer<?>>>together(
                        List.of(
                                () -> reprioritise(leases, 1),
                                () -> reprioritise(backwards, 2),
                                () -> end(leases.subList(0, 32)),
                                () -> end(backwards.subList(0, 32))));

        assertThat(answers.get(2)).allMatch(Answer::isDone);
        assertThat(answers.get(3)).allMatch(Answer::isDone);
        assertThat(leases)
                .allSatisfy(lease -> assertThat(world.view(lease)).endedAs(Outcome.SUCCESS));
    }

    @Test
    @BatchAnswers({"P21", "P26"})
    void many_engines_do_what_is_due_once() {
        var frail = world.frailWorker();
        var lapsing = world.submit(100, Given::work);
        frail.claim(100);
        var delayed =
                world.submit(100, () -> work(Policy.DEFAULT.start(Due.in(Duration.ofSeconds(30)))));
        world.advance(Duration.ofSeconds(30));

        Crowd.of(
                8,
                i -> {
                    world.tick();
                    return i;
                });

        assertThat(lapsing)
                .allSatisfy(
                        work ->
                                assertThat(world.transitions(work))
                                        .containsExactly(
                                                Transition.SUBMIT,
                                                Transition.CLAIM,
                                                Transition.LAPSE));
        assertThat(delayed)
                .allSatisfy(
                        work ->
                                assertThat(world.transitions(work))
                                        .containsExactly(Transition.SUBMIT, Transition.WAKE));
    }

    @Test
    @BatchAnswers("P61")
    void a_feed_that_is_read_while_many_write_misses_nothing() {
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));
        var workers = Stream.generate(world::worker).limit(8).toList();
        var members = new ArrayList<Callable<List<Event>>>();
        workers.forEach(worker -> members.add(() -> submitAndFinish(worker)));
        members.add(
                () -> IntStream.range(0, 50).boxed().flatMap(i -> feed.read().stream()).toList());

        var seen = new ArrayList<>(Crowd.together(members).getLast());
        seen.addAll(feed.read());

        var lives = steps(seen).stream().collect(groupingBy(Event.Step::execution));
        assertThat(lives).hasSize(8 * 20);
        lives.forEach((work, life) -> assertThat(life).isEqualTo(world.steps(work)));
        assertThat(seen).isEqualTo(List.copyOf(new LinkedHashSet<>(seen)));
    }

    private List<Event> submitAndFinish(ScenarioWorker worker) {
        for (int i = 0; i < 20; i++) {
            world.submit();
            var leases = worker.claim(4);
            end(leases);
        }
        end(worker.claim(20));
        return List.of();
    }

    private List<Lease> drain(ScenarioWorker worker) {
        var claimed = new ArrayList<Lease>();
        while (true) {
            var leases = worker.claim(3);
            if (leases.isEmpty()) {
                return claimed;
            }
            claimed.addAll(leases);
        }
    }

    private List<Answer<Ended>> end(List<Lease> leases) {
        return world.store().leases().end(leases.stream().map(Endings::complete).toList());
    }

    private List<? extends Answer<?>> reprioritise(List<Lease> leases, int priority) {
        var acts = leases.stream().map(lease -> reprioritised(idOf(lease), priority)).toList();
        return world.store().operations().act(acts, Scenario.OLGA);
    }

    private static OperatorCommand reprioritised(ExecutionId work, int priority) {
        return new OperatorCommand.Reprioritise(work, priority);
    }

    private Answer<Boolean> closing(Lease lease) {
        world.store().sessions().close(lease.session());
        return Answer.done(true);
    }
}
