package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** R20: many engines on one store do what time asks for as often as one does, not each of them. */
class ManyEnginesTest {
    private static final int ENGINES = 5;
    private static final Duration STEP = Duration.ofMillis(400);

    /** How late the others are at most when the first one is gone, with time to do it. */
    private static final Duration LATEST = Duration.ofMillis(320 + 180);

    private final ManualTime time = new ManualTime();
    private final Store store = new MemoryStore(time);
    private final List<Member> members = new ArrayList<>();

    /** One of the engines, and what it does. */
    private final class Member implements HookedStore.Hook {
        final AtomicInteger timers = new AtomicInteger();
        final Tally tally = new Tally();
        final Engine engine;

        Member(EngineOptions options) {
            engine = new Engine(HookedStore.over(store, this), options, tally, time);
        }

        @Override
        public Object around(String name, HookedStore.Call call) throws Exception {
            if (call.argument() == Chore.TIMERS) {
                timers.incrementAndGet();
            }
            var answer = call.call();
            if (name.equals("nextDue")) {
                // All those that ask at the same moment are told before the first of them acts.
                long until = System.nanoTime() + 1_000_000;
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
            }
            return answer;
        }
    }

    @BeforeEach
    void spread() {
        var random = new Random(20);
        time.spreadBy(most -> random.nextLong(most + 1));
    }

    @AfterEach
    void stop() {
        members.forEach(member -> member.engine.stop());
    }

    @Test
    void they_take_turns_at_retention_and_recounts() {
        var second = Duration.ofSeconds(1);
        submitted(Policy.DEFAULT);
        start(EngineOptions.DEFAULT.retentionEvery(second).recountEvery(second));

        time.pass(Duration.ofSeconds(10));

        // Each period is up to a tenth longer, and nothing is counted anew at the start.
        assertThat(sum("swept RETENTION")).isBetween(9, 11);
        assertThat(sum("recounted QUOTAS")).isBetween(8, 10);
    }

    @Test
    void when_the_engine_that_had_the_turn_is_gone_another_one_takes_the_next() {
        var second = Duration.ofSeconds(1);
        start(EngineOptions.DEFAULT.retentionEvery(second));
        time.pass(Duration.ofMillis(100));
        assertThat(sum("swept RETENTION")).isEqualTo(1);

        first().engine.stop();
        time.pass(Duration.ofMillis(2300));

        assertThat(sum("swept RETENTION")).isGreaterThanOrEqualTo(2);
    }

    @Test
    void what_is_due_is_left_to_the_engine_that_is_first() {
        start(EngineOptions.DEFAULT);
        int steps = 20;
        int before = timers();

        var ids = submittedInSteps(steps);
        time.pass(STEP.multipliedBy(steps).plusMillis(20));

        assertThat(ids).allMatch(id -> state(id) == PublicState.WAITING);
        // Each looks by itself after ten seconds, and is too early for the first one now and then.
        assertThat(timers() - before).isBetween(steps, steps + 3 * ENGINES);
    }

    @Test
    void when_the_first_engine_is_gone_the_others_take_over_within_the_bound() {
        start(EngineOptions.DEFAULT);
        submittedInSteps(10);
        time.pass(STEP.multipliedBy(10));
        var session = Session.of("worker", "one", "default").ttl(Duration.ofSeconds(5));
        store.sessions().open(session);
        var held =
                store.claims()
                        .claim(new Claim(session.id(), 1, 1))
                        .leases()
                        .getFirst()
                        .fence()
                        .execution();
        time.pass(Duration.ofSeconds(4));

        first().engine.stop();
        time.pass(Duration.ofMillis(990));
        assertThat(state(held)).isEqualTo(PublicState.ACTIVE);
        time.pass(LATEST.plusMillis(10));

        assertThat(state(held)).isEqualTo(PublicState.WAITING);

        // From then on one of them is first, and soon it is in time.
        assertThat(IntStream.range(0, 30).anyMatch(i -> isInTime())).isTrue();
    }

    private boolean isInTime() {
        var work = submitted(Policy.DEFAULT.start(Due.in(STEP)));
        time.pass(STEP.plusMillis(40));
        boolean inTime = state(work) == PublicState.WAITING;
        time.pass(LATEST);
        return inTime;
    }

    @Test
    void a_lone_engine_waits_for_nobody_whatever_it_finds_gone() {
        members.add(new Member(EngineOptions.DEFAULT));
        startAll();
        for (int i = 0; i < 10; i++) {
            // Ended before its time, so that nothing is due when the engine comes for it.
            var session = Session.of("worker", "one", "default");
            store.sessions().open(session);
            submitted(Policy.DEFAULT.attemptTimeout(STEP));
            var lease = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
            time.pass(STEP.dividedBy(2));
            var cancel = new OperatorCommand.Cancel(lease.fence().execution());
            store.operations().act(List.of(cancel), new Attribution("ada", "not needed"));
            time.pass(STEP);
        }

        var id = submitted(Policy.DEFAULT.start(Due.in(STEP)));
        time.pass(STEP.plusMillis(20));

        assertThat(state(id)).isEqualTo(PublicState.WAITING);
    }

    /** The engine that had the turn. */
    private Member first() {
        return members.stream()
                .filter(member -> member.tally.of("swept RETENTION") > 0)
                .findFirst()
                .orElseThrow();
    }

    private void start(EngineOptions options) {
        IntStream.range(0, ENGINES).forEach(i -> members.add(new Member(options)));
        startAll();
    }

    private void startAll() {
        members.forEach(member -> member.engine.start());
        for (var name : List.of("ff-sweeps", "ff-retention", "ff-recounts")) {
            eventually("all wait", () -> time.waiting(name) == members.size());
        }
    }

    private int timers() {
        return members.stream().mapToInt(member -> member.timers.get()).sum();
    }

    private int sum(String what) {
        return members.stream().mapToInt(member -> member.tally.of(what)).sum();
    }

    private List<ExecutionId> submittedInSteps(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(i -> Policy.DEFAULT.start(Due.in(STEP.multipliedBy(i))))
                .map(this::submitted)
                .toList();
    }

    /** Past the engines, as another process would. */
    private ExecutionId submitted(Policy policy) {
        var submission = Submission.of("kind", Payload.EMPTY).policy(policy);
        return store.submissions().submit(List.of(submission)).getFirst().orThrow().id();
    }

    private PublicState state(ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().orThrow().state().publicState();
    }
}
