package io.flowfabric.testing;

import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.FlowHandle;
import io.flowfabric.WorkHandle;
import io.flowfabric.core.Answer;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.engine.Service;
import io.flowfabric.testkit.memory.MemoryStore;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * A fabric for tests: in memory, and in a time that stands still until the test lets it pass.
 *
 * <pre>{@code
 * try (var test = new TestFabric()) {
 *     test.fabric().worker("mailer").on(WELCOME, this::welcome).start();
 *     var receipt = test.await(test.fabric().submit(WELCOME.with(ada)));
 * }
 * }</pre>
 *
 * <p>While a test awaits something, everything runs as it would in production, in the same threads;
 * and whenever nothing has anything to do, the time is moved to the next moment at which something
 * is due: a retry, the end of a sleep, a timeout, a deadline. Time never passes while a handler
 * runs, except where the handler says so by {@link #sleep}.
 *
 * <p>One thread of the test moves the time. Without a call to {@link #await}, {@link #advance} or
 * one of the others here it does not move at all.
 */
public final class TestFabric implements AutoCloseable {
    /** As long as sessions may live at most, so that time is skipped in large steps. */
    private static final Duration WORKER_TTL = Duration.ofHours(1);

    /** How much real time passes at most before handlers that run must have ended. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration AT_ONCE = Duration.ofMinutes(1);

    private final SkippedTime time = new SkippedTime();
    private final FlowFabric fabric;
    private final TimeSkipper skipper;

    /** A fabric with the default options. */
    public TestFabric() {
        this(FabricOptions.DEFAULT);
    }

    /**
     * A fabric with other options, such as the codec or the namespace of the program.
     *
     * @param options their time is replaced, and how long workers live without a sign of life
     */
    public TestFabric(FabricOptions options) {
        this(options, PATIENCE);
    }

    TestFabric(FabricOptions options, Duration patience) {
        var store = new MemoryStore(time);
        this.fabric = FlowFabric.on(store, options.time(time).workerTtl(WORKER_TTL));
        this.skipper = new TimeSkipper(fabric.engine(), store, time, this::whatRuns, patience);
    }

    /** The fabric that the program under test is given. */
    public FlowFabric fabric() {
        return fabric;
    }

    // Time.

    /** What time it is: a morning in January 2026 when the test begins. */
    public Instant now() {
        return time.instant();
    }

    /** The time of this test, for code that asks a clock; not for a wait. */
    public InstantSource clock() {
        return time;
    }

    /** Lets so much time pass, with everything that happens in it. */
    public void advance(Duration length) throws InterruptedException {
        skipper.advance(length);
    }

    /** Lets everything happen for which no time has to pass. */
    public void settle() throws InterruptedException {
        skipper.settle();
    }

    /**
     * Lets time pass until nothing is due any more: what has not ended then waits for a signal, a
     * person or a worker. It passes the timeouts and deadlines of waits, too; {@link #awaitState}
     * stops before them.
     */
    public void runUntilQuiet() throws InterruptedException {
        skipper.until(() -> false);
    }

    /**
     * Takes so much time, in a handler or in what it calls: this is how a test plays a slow call. A
     * timeout of the attempt, a deadline or a cancelled execution interrupts it.
     *
     * @throws InterruptedException when the handler is interrupted, or the fabric closed
     */
    public void sleep(Duration length) throws InterruptedException {
        time.sleep(length);
    }

    // Work.

    /**
     * Lets time pass until work has ended, and returns its result.
     *
     * @return null when its handler returned nothing
     * @throws io.flowfabric.WorkFailed when it ended in another way than with success
     * @throws NothingHappens when it will not end, however much time passes
     */
    public <O> O await(WorkHandle<O> work) throws InterruptedException {
        reach(work, "ended", () -> hasEnded(work));
        return work.await(AT_ONCE);
    }

    /**
     * Lets time pass until work is in a state, such as {@link PublicState#SUSPENDED} when it is to
     * wait for an approval.
     *
     * @throws NothingHappens when it does not come there, however much time passes
     */
    public void awaitState(WorkHandle<?> work, PublicState state) throws InterruptedException {
        reach(work, "become " + state.wire(), () -> stateOf(work) == state);
    }

    /**
     * Lets time pass until a flow has ended, and says how.
     *
     * @throws NothingHappens when it will not end, however much time passes
     */
    public FlowState await(FlowHandle flow) throws InterruptedException {
        if (!skipper.until(() -> flow.describe().state().ended())) {
            throw new NothingHappens(
                    "The flow %s has not ended, and nothing is due any more at %s. %s"
                            .formatted(flow, now(), unfinished()));
        }
        return flow.describe().state();
    }

    /** How work is now. */
    public PublicState stateOf(WorkHandle<?> work) {
        return work.describe().state().publicState();
    }

    /** Approves what the handler of this work awaits under this name, or is going to. */
    public Delivery approve(WorkHandle<?> work, String name, String by) {
        return fabric.approve(work.id(), name, by);
    }

    /** Rejects what the handler of this work awaits under this name, or is going to. */
    public Delivery reject(WorkHandle<?> work, String name, String by) {
        return fabric.reject(work.id(), name, by);
    }

    private boolean hasEnded(WorkHandle<?> work) {
        return fabric.engine().queries().results(List.of(work.id())).getFirst()
                instanceof Answer.Done<?>;
    }

    private void reach(WorkHandle<?> work, String what, BooleanSupplier goal)
            throws InterruptedException {
        if (!skipper.until(goal)) {
            var now = work.describe();
            throw new NothingHappens(
                    "%s of kind %s has not %s, and nothing is due any more at %s. It is %s: %s. Send what it waits for, or start a worker that can do it, and await it then."
                            .formatted(
                                    work,
                                    now.kind(),
                                    what,
                                    now(),
                                    now.state().publicState().wire(),
                                    work.explain().words()));
        }
    }

    private String unfinished() {
        return fabric.find(fabric.search())
                .filter(view -> !view.state().publicState().terminal())
                .map(view -> "%s: %s.".formatted(named(view), fabric.explain(view.id()).words()))
                .collect(Collectors.joining(" "));
    }

    private String whatRuns() {
        var running =
                fabric.find(fabric.search())
                        .filter(view -> view.state().publicState() == PublicState.ACTIVE)
                        .map(TestFabric::named)
                        .collect(Collectors.joining(", "));
        return running.isEmpty() ? "the engine itself" : running;
    }

    private static String named(ExecutionView view) {
        return "%s of kind %s".formatted(view.id(), view.kind());
    }

    /** Whether the engine and its workers have nothing to do at this moment. */
    boolean atRest() {
        return fabric.engine().turnsAtRest() != Service.BUSY;
    }

    /**
     * Stops everything. A handler that {@link #sleep sleeps} is interrupted; any other that runs
     * gets as long as its worker grants it.
     */
    @Override
    public void close() {
        time.release();
        fabric.close();
    }
}
