package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.codec.WaitCodec;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals.Presented;
import io.flowfabric.core.signal.Signals.Wanted;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameRange;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.StoreFixture;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A store under test and those who use it: it speaks of one thing at a time, where the contract
 * speaks of lists.
 */
final class Scenario implements AutoCloseable {
    /** The operator of this world. */
    static final Attribution OLGA = new Attribution("olga", "she was asked to");

    /** Where another worker works. */
    static final Namespace ELSEWHERE = new Namespace("elsewhere");

    private final StoreFixture fixture;
    private int workers;
    private int lanes;

    Scenario(StoreFixture fixture) {
        this.fixture = fixture;
    }

    Store store() {
        return fixture.store();
    }

    /** The same store, reached by calls that get lost. */
    LostCalls losingCalls() {
        return new LostCalls(fixture);
    }

    // Time.

    Instant now() {
        return fixture.now();
    }

    Instant in(Duration wait) {
        return now().plus(wait);
    }

    /** Lets time pass before a sweep has noticed. */
    void advance(Duration step) {
        fixture.advance(step);
    }

    /** Lets time pass, and everything that has become due happen. */
    void pass(Duration step) {
        fixture.pass(step);
    }

    void tick() {
        fixture.tick();
    }

    Maintenance.Round tick(Chore chore, int limit) {
        return store().maintenance().tick(chore, limit);
    }

    /** Lets a worker miss its heartbeats until it is dead and its work is back. */
    void bury(ScenarioWorker worker) {
        pass(worker.session().ttl());
    }

    void poison(ExecutionId execution) {
        fixture.poison(execution);
    }

    void heal(ExecutionId execution) {
        fixture.heal(execution);
    }

    // Work.

    ExecutionId submit() {
        return submit(work());
    }

    ExecutionId submit(Policy policy) {
        return submit(work(policy));
    }

    ExecutionId submit(Submission submission) {
        return offer(submission).orThrow().id();
    }

    /** Submits equal work several times, in one call. */
    List<ExecutionId> submit(int count, Supplier<Submission> work) {
        var all = Stream.generate(work).limit(count).toList();
        var answers = store().submissions().submit(all);
        return answers.stream().map(answer -> answer.orThrow().id()).toList();
    }

    Answer<Submitted> offer(Submission submission) {
        return only(store().submissions().submit(List.of(submission)));
    }

    /** A lane that was not used yet. */
    Lane newLane() {
        return Lane.of("lane-" + ++lanes);
    }

    void configure(Lane lane, LaneSettings settings) {
        store().lanes().configure(lane, settings, OLGA);
    }

    void configure(Lane lane, LaneSettings.State state) {
        configure(lane, LaneSettings.DEFAULT.state(state));
    }

    // Workers.

    /** A worker of the default lane that lives for an hour without a sign of life. */
    ScenarioWorker worker() {
        return worker(Lane.DEFAULT);
    }

    /** A worker of these lanes, all of one namespace, that lives just as long. */
    ScenarioWorker worker(Lane... served) {
        return worker(session(served).ttl(Duration.ofHours(1)));
    }

    /** A worker of the default lane that is dead when it is not heard of for half a minute. */
    ScenarioWorker frailWorker() {
        return worker(session(Lane.DEFAULT));
    }

    ScenarioWorker worker(Session session) {
        return ScenarioWorker.open(store(), session);
    }

    /** A session that is not yet open. */
    Session session(Lane... served) {
        var names = Stream.of(served).map(Lane::name).toArray(String[]::new);
        var name = "worker-" + ++workers;
        return Session.of(name, name + "-instance", names).namespace(served[0].namespace());
    }

    /** Work that a worker has begun, in a lane of its own where nothing else is in the way. */
    Lease begun() {
        return begun(Policy.DEFAULT);
    }

    Lease begun(Policy policy) {
        var lane = newLane();
        submit(work(policy).lane(lane));
        return worker(lane).claimOne();
    }

    Answer<Ended> end(Ending ending) {
        return only(store().leases().end(List.of(ending)));
    }

    Answer<Fence> report(Fence fence, int percent) {
        return only(store().leases().progress(List.of(new Progress(fence, percent, "on it"))));
    }

    Answer<Fence> report(Lease lease, int percent) {
        return report(lease.fence(), percent);
    }

    Answer<Step> checkpoint(Fence fence, String name, Payload content) {
        return only(store().leases().checkpoint(List.of(new Checkpoint(fence, name, content))));
    }

    Answer<Step> checkpoint(Lease lease, String name, Payload content) {
        return checkpoint(lease.fence(), name, content);
    }

    // Waits.

    /** Work whose worker has suspended it, in a lane of its own. */
    Lease suspended(Suspension suspension) {
        var lease = begun();
        end(Endings.suspend(lease, suspension)).orThrow();
        return lease;
    }

    Answer<WaitpointView> open(Lease lease, String waitpoint) {
        return open(new OpenWaitpoint(lease.fence(), waitpoint));
    }

    Answer<WaitpointView> open(OpenWaitpoint asked) {
        return only(store().leases().open(List.of(asked)));
    }

    Answer<Delivery> send(Signal signal) {
        return only(store().signals().send(List.of(signal)));
    }

    /** Somebody sends a signal without content. */
    Answer<Delivery> send(Lease to, String waitpoint, String name, String actor) {
        return send(
                Signal.of(
                        new Waitpoint(idOf(to), waitpoint),
                        name,
                        Payload.EMPTY,
                        new Attribution(actor, "as agreed")));
    }

    Answer<Delivery> present(Presented presented) {
        return only(store().signals().present(List.of(presented)));
    }

    Answer<String> token(Waitpoint at, Duration validity) {
        return only(store().signals().tokens(List.of(new Wanted(at, validity))));
    }

    Answer<Waitpoint> close(Waitpoint at) {
        return only(store().signals().close(List.of(at), OLGA));
    }

    /** What an execution has received, from all pages. */
    List<ReceivedSignal> received(ExecutionId execution) {
        return Everything.pages(after -> store().signals().received(execution, after, 1000));
    }

    /** The open waitpoints of a lane, from all pages. */
    List<WaitpointView> waitpoints(Lane lane, int pageSize) {
        return Everything.pages(
                after -> store().signals().waitpoints(lane, Optional.empty(), after, pageSize));
    }

    /** How a wait ended, as its step says. */
    Resumption resumption(ExecutionId execution, String name) {
        return recorded(execution).stream()
                .filter(step -> step.name().equals(name))
                .map(step -> WaitCodec.resumption(step.content()))
                .findFirst()
                .orElseThrow();
    }

    // Streams.

    Answer<Long> append(Append append) {
        return only(store().leases().append(List.of(append)));
    }

    /** A durable frame of plain text. */
    Answer<Long> say(Lease lease, long position, String text) {
        return append(Append.durable(lease.fence(), position, "said", Payload.text(text)));
    }

    /** All that is kept of what was said in the attempt of a lease. */
    StreamPage stream(Lease lease) {
        return store().streams()
                .read(
                        lease.fence().execution(),
                        lease.fence().attempt(),
                        FrameRange.ALL,
                        (int) Limit.PAGE.max());
    }

    // Operators.

    /** What the operator is told. */
    Answer<ExecutionState> act(OperatorCommand act) {
        return only(store().operations().act(List.of(act), OLGA));
    }

    /** The operator leases one execution to a worker. */
    Answer<Lease> claimByHand(ExecutionId execution, ScenarioWorker worker) {
        return asked(() -> store().operations().claim(execution, worker.session().id(), OLGA));
    }

    void cancel(ExecutionId execution) {
        act(new OperatorCommand.Cancel(execution)).orThrow();
    }

    void pause(ExecutionId execution) {
        act(new OperatorCommand.Pause(execution)).orThrow();
    }

    void resume(ExecutionId execution) {
        act(new OperatorCommand.Resume(execution)).orThrow();
    }

    void revoke(ExecutionId execution) {
        act(new OperatorCommand.Revoke(execution)).orThrow();
    }

    void replay(ExecutionId execution) {
        act(new OperatorCommand.Replay(execution)).orThrow();
    }

    // Reading.

    Answer<ExecutionView> describe(ExecutionId execution) {
        return only(store().queries().describe(List.of(execution)));
    }

    ExecutionView view(ExecutionId execution) {
        return describe(execution).orThrow();
    }

    ExecutionView view(Lease lease) {
        return view(idOf(lease));
    }

    Explanation explain(ExecutionId execution) {
        return store().queries().explain(execution);
    }

    LaneExplanation explain(Lane lane) {
        return store().queries().explain(lane);
    }

    Answer<Result> result(ExecutionId execution) {
        return only(store().queries().results(List.of(execution)));
    }

    /** What was recorded of an execution, from all pages. */
    List<Step> recorded(ExecutionId execution) {
        return Everything.pages(after -> store().queries().steps(execution, after, 1000));
    }

    Failure failureOf(ExecutionId execution) {
        return view(execution).failure().orElseThrow();
    }

    /** The ids that a search finds, from all of its pages. */
    List<ExecutionId> find(Search search, int pageSize) {
        return Everything.pages(after -> store().queries().search(search, after, pageSize)).stream()
                .map(ExecutionView::id)
                .toList();
    }

    List<ExecutionId> find(Search search) {
        return find(search, 100);
    }

    /** The epochs of all leases and grants that an execution was ever given. */
    List<Long> epochs(ExecutionId execution) {
        return steps(execution).stream()
                .map(Event.Step::epoch)
                .filter(epoch -> epoch > 0)
                .distinct()
                .toList();
    }

    /**
     * The fence of the lease that an execution was given last.
     *
     * @param count how many leases and grants it must have been given by then
     */
    Fence fence(ExecutionId execution, int attempt, int count) {
        var epochs = epochs(execution);
        assertThat(epochs).as("leases and grants").hasSize(count);
        return new Fence(execution, attempt, epochs.getLast());
    }

    /** The steps that an execution took, without the signs of life of its holders. */
    List<Event.Step> steps(ExecutionId execution) {
        return store().queries().history(execution).stream()
                .filter(Event.Step.class::isInstance)
                .map(Event.Step.class::cast)
                .toList();
    }

    List<Transition> transitions(ExecutionId execution) {
        return steps(execution).stream().map(Event.Step::transition).toList();
    }

    Event.Step lastStep(ExecutionId execution) {
        return steps(execution).getLast();
    }

    /** A reader of what happens from now on. */
    FeedReader feed(FeedFilter filter) {
        return FeedReader.fromNow(store().feeds(), filter);
    }

    /** A reader of everything that is kept. */
    FeedReader wholeFeed(FeedFilter filter) {
        return FeedReader.fromTheBeginning(store().feeds(), filter);
    }

    /** All that can be seen from outside in the namespaces of this world. */
    Everything everything() {
        return Everything.in(store(), Namespace.DEFAULT, ELSEWHERE);
    }

    private static <T> T only(List<T> answers) {
        assertThat(answers).as("one answer for one item").hasSize(1);
        return answers.getFirst();
    }

    @Override
    public void close() {
        fixture.close();
    }
}
