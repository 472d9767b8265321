package io.flowfabric.testkit.harness;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.history.Acknowledgements;
import io.flowfabric.testkit.history.History;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Many at once: workers that crash, forget, repeat themselves and wake up late; submitters; an
 * operator; and one who lets time pass and does the chores. Then everything is drained, and what is
 * known about the run is handed out to be judged.
 *
 * <pre>{@code
 * assertThat(new ConcurrentRun(MyFixture::new).seed(1).run()).isSound();
 * }</pre>
 *
 * <p>The seed decides what each of them does, and the machine decides in which order: the same seed
 * does not give the same run.
 */
public final class ConcurrentRun {
    /** How many operations most perform before all meet again. */
    private static final int FULL_SHARE = 8;

    /** Time passes slowly enough for sessions to do something before they die. */
    private static final int CLOCK_SHARE = 2;

    /** More than a run defines. */
    private static final int LISTED = 100;

    private final Supplier<? extends StoreFixture> fixtures;
    private final long seed;
    private final int workers;
    private final int submitters;
    private final int operations;

    /** A run with four workers and two submitters, of 300 operations each. */
    public ConcurrentRun(Supplier<? extends StoreFixture> fixtures) {
        this(fixtures, 1, 4, 2, 300);
    }

    private ConcurrentRun(
            Supplier<? extends StoreFixture> fixtures,
            long seed,
            int workers,
            int submitters,
            int operations) {
        this.fixtures = fixtures;
        this.seed = seed;
        this.workers = workers;
        this.submitters = submitters;
        this.operations = operations;
    }

    public ConcurrentRun seed(long other) {
        return new ConcurrentRun(fixtures, other, workers, submitters, operations);
    }

    /** How many worker processes there are, each in a thread of its own. */
    public ConcurrentRun workers(int count) {
        return new ConcurrentRun(fixtures, seed, count, submitters, operations);
    }

    /** How many threads submit work. */
    public ConcurrentRun submitters(int count) {
        return new ConcurrentRun(fixtures, seed, workers, count, operations);
    }

    /** How much each thread does. */
    public ConcurrentRun operations(int count) {
        return new ConcurrentRun(fixtures, seed, workers, submitters, count);
    }

    /**
     * Lets them loose, and waits until all work is done.
     *
     * @throws AssertionError when a call failed in a way that the contract does not have, a
     *     repeated call got an answer that it must not get, work could not be brought to its end,
     *     or a quota or a budget counts what does not run
     */
    public History run() {
        try (var fixture = fixtures.get()) {
            var acknowledgements = new Acknowledgements(fixture::now);
            var cast =
                    Participants.of(new Identity(seed), fixture.now(), List.of(), acknowledgements);
            var sessions = perform(fixture, cast);
            mustCountRight(fixture.store(), "before the drain");
            drain(fixture, cast, sessions);
            mustCountRight(fixture.store(), "after the drain");
            mustHoldNothing(fixture.store());
            return History.of(fixture.store(), fixture.now(), acknowledgements.all())
                    .meantToBeDrained();
        }
    }

    /** Performs all roles at once, and returns the sessions that were opened. */
    private List<SessionId> perform(StoreFixture fixture, Participants cast) {
        var roles = roles();
        var stage = new StoreOnly(fixture, false);
        var rounds = new Phaser(roles.size());
        var tasks = new ArrayList<Callable<List<SessionId>>>();
        for (int stream = 0; stream < roles.size(); stream++) {
            var role = roles.get(stream);
            var own = cast.with(List.of(new HarnessWorker(role.name() + stream)));
            var generator = new Generator(seed, stream, role.mix());
            tasks.add(
                    () -> {
                        perform(role, generator, new Performer(stage, own), rounds);
                        return own.sessions();
                    });
        }
        return all(tasks);
    }

    /**
     * Performs one role in rounds. All meet before each: otherwise, on a busy machine, the workers
     * would be done before there is any work.
     */
    private void perform(Role role, Generator generator, Performer performer, Phaser rounds) {
        try {
            for (int index = 0; index < operations * role.share() / FULL_SHARE; index++) {
                if (index % role.share() == 0) {
                    rounds.arriveAndAwaitAdvance();
                }
                performer.perform(generator.operation(index));
            }
        } finally {
            // Also when it fails: the others must not wait for it.
            rounds.arriveAndDeregister();
        }
    }

    /**
     * A participant of the run.
     *
     * @param share how many operations it performs in one round
     */
    private record Role(String name, Mix mix, int share) {}

    private List<Role> roles() {
        var roles = new ArrayList<Role>();
        IntStream.range(0, workers).forEach(i -> roles.add(new Role("w", Mix.WORKER, FULL_SHARE)));
        IntStream.range(0, submitters)
                .forEach(i -> roles.add(new Role("s", Mix.SUBMITTER, FULL_SHARE)));
        // One only: two could contradict each other about a result, and both be right.
        roles.add(new Role("operator", Mix.OPERATOR, FULL_SHARE));
        roles.add(new Role("clock", Mix.CLOCK, CLOCK_SHARE));
        return roles;
    }

    private List<SessionId> all(List<Callable<List<SessionId>>> tasks) {
        // Real threads, as many as there are roles: they must be able to run at the same time.
        try (var threads = Executors.newFixedThreadPool(tasks.size())) {
            var sessions = new ArrayList<SessionId>();
            for (Future<List<SessionId>> done : threads.invokeAll(tasks)) {
                sessions.addAll(done.get());
            }
            return sessions;
        } catch (ExecutionException e) {
            throw new AssertionError(
                    "A thread of the run of seed %d failed: %s".formatted(seed, e.getCause()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("The run was interrupted.", e);
        }
    }

    /** What counts against quotas and budgets is what runs: counting anew finds nothing else. */
    private void mustCountRight(Store store, String when) {
        for (Namespace namespace : Vocabulary.NAMESPACES) {
            must(store.quotas().recount(namespace).drifts().isEmpty(), "quotas drifted " + when);
            must(store.budgets().recount(namespace).drifts().isEmpty(), "budgets drifted " + when);
        }
    }

    /** Once nothing runs, nothing counts. */
    private void mustHoldNothing(Store store) {
        for (Namespace namespace : Vocabulary.NAMESPACES) {
            var quotas = store.quotas().list(namespace, Cursor.START, LISTED).items();
            for (Quota quota : quotas) {
                for (QuotaUse use : Vocabulary.QUOTAS) {
                    must(
                            !use.quota().equals(quota.name())
                                    || store.quotas().describe(namespace, use).running() == 0,
                            use + " counts what has ended");
                }
            }
            var budgets = store.budgets().list(namespace, Cursor.START, LISTED).items();
            for (Budget budget : budgets) {
                must(
                        store
                                .budgets()
                                .describe(namespace, budget.name())
                                .levels()
                                .values()
                                .stream()
                                .allMatch(level -> level.held() == 0),
                        "the budget %s holds what has ended".formatted(budget.name()));
            }
        }
    }

    private void must(boolean sound, String otherwise) {
        if (!sound) {
            throw new AssertionError("In the run of seed %d %s.".formatted(seed, otherwise));
        }
    }

    private void drain(StoreFixture fixture, Participants cast, List<SessionId> sessions) {
        try {
            new FinalDrain(new StoreOnly(fixture, true), cast).drain(sessions);
        } catch (Difference.Found stuck) {
            throw new AssertionError(
                    "The run of seed %d could not be drained: %s"
                            .formatted(seed, stuck.difference()),
                    stuck);
        }
    }
}
