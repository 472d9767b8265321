package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.testkit.harness.Difference.Kind;
import io.flowfabric.testkit.harness.Operation.DefineBudget.Change;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Brings all work of a run to its end: opens every lane, closes every session, lifts every pause
 * and suspension, waits for every delay, and completes what it claims. What is still there
 * afterwards is stuck.
 */
final class FinalDrain {
    private static final Attribution JANITOR = new Attribution("janitor", "the run is over");
    private static final int MOST_ROUNDS = 2000;
    private static final int MOST_CLAIMS = 500;

    /** After how many rounds without any change it gives up; each waits for what is due next. */
    private static final int PATIENCE = 20;

    private static final int CLAIM = 256;
    private static final int LIMIT = 1000;

    /** Far away from the numbers of all operations. */
    private static final long FIRST_NUMBER = Long.MAX_VALUE / 2;

    private final Stage stage;
    private final Participants cast;
    private final WorkerRole hands;
    private final OperatorRole desk;
    private final HarnessWorker janitor = new HarnessWorker("janitor");
    private long number = FIRST_NUMBER;

    FinalDrain(Stage stage, Participants cast) {
        this.stage = stage;
        this.cast = cast.with(List.of(janitor));
        this.hands = new WorkerRole(stage, this.cast);
        this.desk = new OperatorRole(stage, this.cast);
    }

    /**
     * Does it.
     *
     * @param sessions all that were ever opened
     */
    void drain(Collection<SessionId> sessions) {
        Vocabulary.NAMESPACES.forEach(this::openLanes);
        Vocabulary.NAMESPACES.forEach(this::liftLimits);
        sessions.forEach(this::close);
        var live = live();
        int idle = 0;
        for (int round = 0; round < MOST_ROUNDS && idle < PATIENCE; round++) {
            if (live.isEmpty()) {
                return;
            }
            workOff(live);
            var left = live();
            idle = left.equals(live) ? idle + 1 : 0;
            live = left;
        }
        throw new Difference.Found(
                Kind.DRAIN,
                "what is left",
                live.stream().map(view -> view.id() + " is " + view.state()).toList());
    }

    private void workOff(List<ExecutionView> live) {
        resume(live);
        stage.tick(Chore.SESSIONS, LIMIT);
        stage.tick(Chore.TIMERS, LIMIT);
        long completed = Vocabulary.NAMESPACES.stream().mapToLong(this::completeAll).sum();
        if (completed == 0) {
            stage.advance(untilTheNextWakes(live));
        }
    }

    /** Gives room to everything, and keeps what counts it: so it can be judged afterwards. */
    private void liftLimits(Namespace namespace) {
        var budgets =
                stage.call(
                        "budgets",
                        namespace,
                        store -> store.budgets().list(namespace, Cursor.START, LIMIT).items());
        var all = budgets.answered().orElse(List.of());
        var names = all.stream().map(Budget::name).toList();
        for (Budget budget : all) {
            // What is below a deleted one cannot be defined anew.
            boolean orphan = budget.parent().filter(above -> !names.contains(above)).isPresent();
            desk.defineBudget(
                    new Operation.DefineBudget(
                            namespace,
                            budget.name(),
                            orphan ? Change.DELETE : Change.DEFINE,
                            Limit.AMOUNT.max(),
                            JANITOR.actor()));
        }
        var quotas =
                stage.call(
                        "quotas",
                        namespace,
                        store -> store.quotas().list(namespace, Cursor.START, LIMIT).items());
        for (Quota quota : quotas.answered().orElse(List.of())) {
            var wide = Quota.atOnce(quota.name(), (int) Limit.COUNT.max()).namespace(namespace);
            desk.defineQuota(
                    new Operation.DefineQuota(
                            namespace, quota.name(), Optional.of(wide), JANITOR.actor()));
        }
    }

    private void openLanes(Namespace namespace) {
        var lanes =
                stage.call(
                        "lanes",
                        namespace,
                        store -> store.lanes().list(namespace, Cursor.START, LIMIT).items());
        for (LaneView lane : lanes.answered().orElse(List.of())) {
            var open =
                    LaneSettings.DEFAULT
                            .weight(lane.settings().weight())
                            .sharing(lane.settings().sharing());
            desk.configure(new Operation.Configure(lane.lane(), open, JANITOR.actor()));
        }
    }

    private void close(SessionId session) {
        var unused =
                stage.call(
                        "close",
                        session,
                        store -> {
                            store.sessions().close(session);
                            return "closed";
                        });
    }

    private List<ExecutionView> live() {
        var ids = cast.ledger().ids();
        var answers = stage.call("describe", "all", store -> store.queries().describe(ids));
        var live = new ArrayList<ExecutionView>();
        for (Answer<ExecutionView> answer : answers.answered().orElse(List.of())) {
            if (answer instanceof Answer.Done<ExecutionView>(var view)
                    && !view.state().terminal()) {
                live.add(view);
            }
        }
        return live;
    }

    private void resume(List<ExecutionView> live) {
        List<OperatorCommand> acts =
                live.stream()
                        .filter(
                                view ->
                                        view.state() instanceof Suspended
                                                || (view.state() instanceof Blocked blocked
                                                        && blocked.by() == BlockedBy.OPERATOR))
                        .<OperatorCommand>map(view -> new OperatorCommand.Resume(view.id()))
                        .toList();
        if (!acts.isEmpty()) {
            desk.act(acts, JANITOR, Hearing.HEARD);
        }
    }

    private long completeAll(Namespace namespace) {
        var session = session(namespace);
        cast.opens(janitor, session.id());
        var opened = stage.call("open", session, store -> store.sessions().open(session));
        if (opened.answered().isEmpty()) {
            return 0;
        }
        long completed = 0;
        for (long claim = 1; claim <= MOST_CLAIMS; claim++) {
            var leases = claimed(new Claims.Claim(session.id(), claim, CLAIM));
            if (leases.isEmpty()) {
                break;
            }
            List<Ending> endings =
                    leases.stream()
                            .<Ending>map(
                                    lease ->
                                            new Ending.Complete(
                                                    lease.fence(), Payload.text("drained")))
                            .toList();
            hands.end(janitor, endings, Hearing.HEARD);
            completed += leases.size();
        }
        close(session.id());
        return completed;
    }

    private List<Lease> claimed(Claims.Claim claim) {
        var began = cast.acknowledgements().now();
        var leases = stage.claim(claim).answered().orElse(List.of());
        var span = cast.acknowledgements().since(began);
        leases.forEach(lease -> cast.acknowledgements().note(new LeaseGiven(span, lease)));
        return leases;
    }

    private Session session(Namespace namespace) {
        return new Session(
                cast.identity().session(number++),
                namespace,
                janitor.name(),
                janitor.name(),
                new TreeSet<>(Vocabulary.lanesOf(namespace)),
                new TreeSet<>(),
                Vocabulary.EVERY_ABILITY,
                Session.DEFAULT_TTL);
    }

    private Duration untilTheNextWakes(List<ExecutionView> live) {
        Instant now = stage.now();
        return live.stream()
                .flatMap(FinalDrain::wakes)
                .filter(now::isBefore)
                .min(Comparator.naturalOrder())
                .map(until -> Duration.between(now, until))
                .orElse(Duration.ofSeconds(1));
    }

    private static Stream<Instant> wakes(ExecutionView view) {
        return view.state() instanceof Delayed delayed
                ? Stream.of(delayed.until())
                : Stream.empty();
    }
}
