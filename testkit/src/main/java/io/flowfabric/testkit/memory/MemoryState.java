package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Tags;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.Definitions;
import io.flowfabric.core.decision.Timer;
import io.flowfabric.core.decision.TimerDecisions;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Duty;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Everything that is stored, and the steps by which it changes.
 *
 * <p>Each step is checked against the transition table, logged, and complete in itself: whoever
 * calls one has validated everything before. The three methods that a broken store would get wrong,
 * {@link #holds}, {@link #nextEpoch} and {@link #isDue}, stand alone so that a test can break them.
 */
class MemoryState implements Wakeups {
    /** Where nothing else says which comes first. */
    static final Comparator<MemoryExecution> BY_ID =
            Comparator.comparing((MemoryExecution row) -> row.id().uuid().toString());

    final EventLog log = new EventLog();
    final Map<Lane, Queue> lanes = new TreeMap<>();
    final QuotaMeters meters = new QuotaMeters(this);
    final BudgetAccounts purses = new BudgetAccounts(this);
    final MemoryBreaches breaches = new MemoryBreaches(this);
    final FairQueue shares = new FairQueue(this);

    /** What namespaces have been told to do otherwise than by default. */
    final Map<Namespace, NamespaceSettings> namespaces = new TreeMap<>();

    /** When the turn at each duty was last taken. */
    final Map<Duty, Instant> turns = new EnumMap<>(Duty.class);

    private final InstantSource clock;
    private final Map<UUID, MemoryExecution> rows = new LinkedHashMap<>();
    private final Map<Namespace, Map<String, MemoryExecution>> keys = new HashMap<>();
    private final Map<SessionId, SessionRecord> sessions = new LinkedHashMap<>();
    private final Map<SessionId, SessionRecord> buried = new LinkedHashMap<>();
    private final Set<SessionId> forgotten = new HashSet<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<SessionId>> losers = new CopyOnWriteArrayList<>();

    /** Where work became ready: the one piece that it is, or none where it may be more. */
    private final Map<Lane, Optional<UUID>> readied = new HashMap<>();

    private final Set<SessionId> losing = new HashSet<>();
    private final ReentrantLock lock = new ReentrantLock();
    private long sequence;
    private boolean closed;

    /** A lane: its settings, and how far it has come in sharing with the others. */
    static final class Queue {
        LaneSettings settings = LaneSettings.DEFAULT;
        final Instant since;
        final String registeredBy;
        Instant changed;
        Optional<Attribution> changedBy = Optional.empty();
        double pass;

        Queue(Instant since, String registeredBy) {
            this.since = since;
            this.registeredBy = registeredBy;
            this.changed = since;
        }

        LaneView view(Lane lane) {
            return new LaneView(lane, settings, since, registeredBy, changed);
        }
    }

    /** A session, from its opening until it is forgotten. */
    static final class SessionRecord {
        final Session session;
        final Instant opened;
        Instant aliveUntil;

        /** When its death was noticed. */
        Optional<Instant> died = Optional.empty();

        long acknowledged;
        final Map<Long, List<Given>> receipts = new HashMap<>();

        SessionRecord(Session session, Instant now) {
            this.session = session;
            this.opened = now;
            this.aliveUntil = now.plus(session.ttl());
        }

        /** Until when it lives, or lived. */
        Instant end() {
            return died.filter(aliveUntil::isAfter).orElse(aliveUntil);
        }

        Owner owner() {
            return new Owner(session.id(), session.worker(), session.instance());
        }
    }

    /** What a claim gave: the lease or the grant of this epoch. */
    record Given(ExecutionId execution, long epoch) {}

    MemoryState(InstantSource clock) {
        this.clock = clock;
    }

    /** Does one thing at a time, as one commit; nothing once the store is closed. */
    <T> T call(Supplier<T> commit) {
        Map<Lane, Optional<UUID>> woken = Map.of();
        Set<SessionId> told = Set.of();
        lock.lock();
        try {
            if (closed) {
                throw new Unavailable("The store is closed; open another one.");
            }
            var answer = commit.get();
            shares.place();
            woken = Map.copyOf(readied);
            told = Set.copyOf(losing);
            return answer;
        } finally {
            readied.clear();
            losing.clear();
            lock.unlock();
            woken.forEach(this::tell);
            told.forEach(session -> losers.forEach(listener -> listener.accept(session)));
        }
    }

    /** Lets listeners know, once this commit is done, that there may be work in a lane. */
    void wake(Lane lane) {
        readied.put(lane, Optional.empty());
    }

    /** Lets listeners know, once this commit is done, that a piece of work is ready. */
    private void wake(Lane lane, UUID work) {
        readied.merge(
                lane,
                Optional.of(work),
                (one, other) -> one.equals(other) ? one : Optional.empty());
    }

    private void tell(Lane lane, Optional<UUID> work) {
        for (var listener : listeners) {
            if (work.isEmpty()) {
                listener.ready(lane);
            } else if (listener.take(lane, work.get())) {
                return;
            }
        }
    }

    /** Lets listeners know, once this commit is done, that a session may have lost leases. */
    void loses(SessionId session) {
        losing.add(session);
    }

    /** Lets them know that work behind a quota may have room now, in whichever lane it waits. */
    void freed(Namespace namespace) {
        lanes.keySet().stream()
                .filter(lane -> lane.namespace().equals(namespace))
                .forEach(this::wake);
    }

    @Override
    public Listening listen(Listener listener) {
        return call(
                () -> {
                    listeners.add(listener);
                    return () -> listeners.remove(listener);
                });
    }

    @Override
    public void pass(Lane lane, Listener from) {
        var others = call(() -> listeners.stream().filter(other -> !other.equals(from)).toList());
        others.forEach(listener -> listener.ready(lane));
    }

    @Override
    public Listening listenForLosses(Consumer<SessionId> listener) {
        return call(
                () -> {
                    losers.add(listener);
                    return () -> losers.remove(listener);
                });
    }

    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** The store's clock, in whole milliseconds. */
    Instant now() {
        return Instant.ofEpochMilli(clock.millis());
    }

    // What is there.

    /** All rows that can be read. */
    List<MemoryExecution> rows() {
        return rows.values().stream().filter(row -> !row.poisoned).toList();
    }

    /** How many rows cannot be read any more, and have to be passed over. */
    int unreadable() {
        return rows.size() - rows().size();
    }

    MemoryExecution find(ExecutionId id) {
        var row = rows.get(id.uuid());
        if (row == null || !row.id().equals(id)) {
            throw new NotFound("execution", id.toString());
        }
        if (row.poisoned) {
            var cause = new IllegalStateException("poisoned by a test");
            throw StoreFailure.unreadable("The execution " + id, cause);
        }
        return row;
    }

    Optional<MemoryExecution> byUuid(UUID uuid) {
        return Optional.ofNullable(rows.get(uuid));
    }

    Optional<MemoryExecution> byKey(Submission submission) {
        return submission.key().map(key -> keysOf(submission.lane().namespace()).get(key));
    }

    Queue lane(Lane lane) {
        return register(lane, "");
    }

    /** A lane, which comes into being with the first call that names it. */
    Queue register(Lane lane, String by) {
        return lanes.computeIfAbsent(lane, unknown -> new Queue(now(), by));
    }

    NamespaceSettings namespace(Namespace namespace) {
        return namespaces.getOrDefault(namespace, NamespaceSettings.DEFAULT);
    }

    /** What a row counts against when it starts now. */
    List<QuotaUse> countsAgainst(MemoryExecution row) {
        return lane(row.lane()).settings.countsAgainst(row.policy().quotas());
    }

    /** What a row draws on when it starts now. */
    SortedSet<BudgetUse> drawsOn(MemoryExecution row) {
        return lane(row.lane()).settings.drawsOn(row.policy().budgets());
    }

    /**
     * @throws NotFound when one of these was never defined in the namespace, or deleted since
     */
    void mustExist(Namespace namespace, Collection<String> quotas, Collection<BudgetUse> budgets) {
        Definitions.mustExist(
                quotas,
                budgets,
                name -> meters.quota(namespace, name).isPresent(),
                name ->
                        purses.find(namespace, name)
                                .map(purse -> purse.budget.dimensions().keySet())
                                .orElse(Set.of()));
    }

    /**
     * @throws Conflict when a lane of the namespace names what is to be deleted
     */
    void mustNotBeNamed(Namespace namespace, String name, Predicate<LaneSettings> names) {
        lanes.forEach(
                (lane, queue) -> {
                    if (lane.namespace().equals(namespace) && names.test(queue.settings)) {
                        throw Conflicts.namedByLane(lane, name);
                    }
                });
    }

    boolean gives(Lane lane) {
        var queue = lanes.get(lane);
        return queue == null || queue.settings.state().gives();
    }

    // Sessions.

    SessionRecord alive(SessionId id) {
        var living = sessions.get(id);
        if (living == null || !isAlive(living)) {
            throw new NotFound("session", id.toString());
        }
        return living;
    }

    boolean isAlive(SessionId id) {
        var living = sessions.get(id);
        return living != null && isAlive(living);
    }

    boolean hasDied(SessionId id) {
        return forgotten.contains(id)
                || buried.containsKey(id)
                || (sessions.containsKey(id) && !isAlive(id));
    }

    Optional<SessionRecord> session(SessionId id) {
        return Optional.ofNullable(sessions.get(id));
    }

    SessionRecord open(Session session) {
        var living = new SessionRecord(session, now());
        sessions.put(session.id(), living);
        return living;
    }

    void renew(SessionRecord living) {
        living.aliveUntil = now().plus(living.session.ttl());
        log.append(
                new Event.Renewal(
                        living.owner(), living.session.namespace(), now(), living.aliveUntil),
                Tags.NONE);
    }

    Stream<SessionRecord> sessions() {
        return sessions.values().stream();
    }

    /** Those that can work now. */
    Stream<Session> alive() {
        return sessions().filter(this::isAlive).map(living -> living.session);
    }

    Collection<SessionRecord> dead() {
        return sessions.values().stream().filter(living -> !isAlive(living)).toList();
    }

    /** Ends a session: its work returns to the queue, and it never lives again. */
    void end(SessionRecord living) {
        heldBy(living.session.id()).stream()
                .sorted(BY_ID)
                .forEach(row -> apply(row, TimerDecisions.lapse(row.facts(), now())));
        die(living);
        buryIfEmpty(living);
    }

    /** Takes note of a death; the first time counts. */
    void die(SessionRecord living) {
        living.died = living.died.or(() -> Optional.of(now()));
    }

    /** Keeps a dead session as such once it holds nothing any more, also nothing unreadable. */
    void buryIfEmpty(SessionRecord dead) {
        var id = dead.session.id();
        if (rows.values().stream().noneMatch(row -> holder(row).filter(id::equals).isPresent())) {
            sessions.remove(id);
            buried.put(id, dead);
        }
    }

    /** Every session that is still known, alive or dead. */
    Stream<SessionRecord> known() {
        return Stream.concat(sessions.values().stream(), buried.values().stream());
    }

    /** Forgets who died before the given moment. Their ids stay dead. */
    void forgetSessions(Instant oldest) {
        var old =
                buried.values().stream()
                        .filter(living -> living.died.orElseThrow().isBefore(oldest))
                        .map(living -> living.session.id())
                        .toList();
        old.forEach(buried::remove);
        forgotten.addAll(old);
    }

    /** What a session has leases or grants for. */
    List<MemoryExecution> heldBy(SessionId session) {
        var held = new ArrayList<MemoryExecution>();
        for (MemoryExecution row : rows()) {
            if (holder(row).filter(session::equals).isPresent()) {
                held.add(row);
            }
        }
        return held;
    }

    /** How much a session works on. */
    int runningIn(SessionId session) {
        return (int) heldBy(session).stream().filter(row -> row.state instanceof Running).count();
    }

    /** How many leases a session was given that has asked for them. */
    int leasesAskedForBy(SessionId session) {
        return (int)
                heldBy(session).stream()
                        .filter(row -> row.state instanceof Running && !row.leasedByHand)
                        .count();
    }

    /** Who has a row, or a grant for it. */
    private static Optional<SessionId> holder(MemoryExecution row) {
        return switch (row.state) {
            case Running running -> Optional.of(running.session());
            case Granted granted -> Optional.of(granted.to());
            default -> Optional.empty();
        };
    }

    boolean isAlive(SessionRecord living) {
        return living.died.isEmpty() && living.aliveUntil.isAfter(now());
    }

    /**
     * Whether a store may look at something at a moment that is too early for it: at a stall that
     * reports have put off, counted from the lease or from an earlier report; or at the end of a
     * window that nothing waits for.
     */
    boolean mayBeEarly(Instant at) {
        return meters.reopenings().anyMatch(at::equals)
                || rows().stream().anyMatch(row -> mayStallAt(row, at));
    }

    private static boolean mayStallAt(MemoryExecution row, Instant at) {
        return row.state instanceof Running running
                && row.policy()
                        .stallDue(running.since())
                        .filter(due -> !at.isBefore(due))
                        .isPresent()
                && Timer.STALL.due(row.facts()).filter(at::isBefore).isPresent();
    }

    // The rules that everything rests on.

    /** Whether a fence allows writing: running, this attempt, this epoch, a living session. */
    boolean holds(MemoryExecution row, Fence fence) {
        return row.state instanceof Running running
                && fence.attempt() == row.attempts - 1
                && fence.epoch() == row.epoch
                && isAlive(running.session());
    }

    /** The epoch of the next lease or grant: every one ever given has its own. */
    long nextEpoch(MemoryExecution row) {
        return Fence.epochAfter(row.epoch, now());
    }

    /** Whether the time for something to happen to a row has come. */
    boolean isDue(MemoryExecution row, Instant at) {
        return !at.isAfter(now());
    }

    // The steps.

    MemoryExecution submit(Submission submission, Digest digest) {
        register(submission.lane(), submission.creator());
        var begin = Acceptance.begin(submission.policy(), now());
        var row = new MemoryExecution(submission, digest, ++sequence, begin, now());
        rows.put(row.id().uuid(), row);
        shares.changed(row);
        submission.key().ifPresent(key -> keysOf(submission.lane().namespace()).put(key, row));
        record(row, Transition.SUBMIT, Optional.empty(), Optional.empty(), Optional.empty());
        return row;
    }

    Lease lease(MemoryExecution row, SessionRecord living, Optional<Attribution> by) {
        var next = ((Ready) row.state).next();
        admit(row, next);
        return lease(row, living, next, next.claim(), by);
    }

    /** Gives out a ticket for a row, which counts like a lease from now on. */
    void grant(MemoryExecution row, SessionRecord living, Instant until) {
        var next = ((Ready) row.state).next();
        admit(row, next);
        row.epoch = nextEpoch(row);
        row.granted = now();
        row.owner = Optional.of(living.owner());
        change(row, Transition.GRANT, new Granted(next, living.session.id(), until));
        record(row, Transition.GRANT, row.owner, Optional.empty(), Optional.empty());
    }

    /** Turns a ticket into a lease. */
    Lease redeem(MemoryExecution row, SessionRecord living) {
        var next = ((Granted) row.state).next();
        return lease(row, living, next, next.redeem(), Optional.empty());
    }

    private void admit(MemoryExecution row, LeasePurpose next) {
        meters.take(row, next.startsAttempt(), now());
        purses.take(row);
    }

    private Lease lease(
            MemoryExecution row,
            SessionRecord living,
            LeasePurpose next,
            Transition step,
            Optional<Attribution> by) {
        var lease =
                new Lease(
                        new Fence(
                                row.id(),
                                next.startsAttempt() ? row.attempts : row.attempts - 1,
                                nextEpoch(row)),
                        living.session.id(),
                        next,
                        row.lane(),
                        row.submission.kind(),
                        row.submission.input(),
                        row.submission.tags(),
                        row.policy(),
                        row.retries,
                        now(),
                        row.deadline);
        if (next.startsAttempt()) {
            row.attempts++;
            row.progress = Optional.empty();
        }
        row.epoch = lease.fence().epoch();
        row.lease = Optional.of(lease);
        row.leasedByHand = by.isPresent();
        row.owner = Optional.of(living.owner());
        change(row, step, new Running(living.session.id(), now()));
        record(row, step, row.owner, by, Optional.empty());
        return lease;
    }

    /** Gives back what a lease or a grant took. A grant that was not redeemed never started. */
    private void giveBack(MemoryExecution row) {
        if (row.state instanceof Granted granted && granted.next().startsAttempt()) {
            meters.unstart(row, row.granted);
        }
        meters.give(row);
        purses.give(row);
        if (!row.counted.isEmpty() || !row.drawn.isEmpty()) {
            freed(row.lane().namespace());
        }
        row.counted = List.of();
    }

    /**
     * Writes a decided change: the one way in which a state changes without a lease being given.
     */
    void apply(MemoryExecution row, Change change) {
        var stays = change.transition().staysPut();
        var touched = row.state instanceof Running || change.transition() == Transition.FORFEIT;
        var owner = stays || !touched ? Optional.<Owner>empty() : row.owner;
        if (!stays && holder(row).isPresent()) {
            giveBack(row);
        }
        boolean taken = change.by().isPresent() || change.transition() == Transition.LAPSE;
        if (!stays && taken && row.state instanceof Running running) {
            loses(running.session());
        }
        if (!stays) {
            row.lease = Optional.empty();
            row.owner = Optional.empty();
        }
        if (change.transition() == Transition.REPLAY) {
            row.result = Optional.empty();
            row.failure = Optional.empty();
        }
        row.deadline = change.deadline();
        row.priority = change.priority();
        row.retries = change.retries();
        row.reclaims = change.reclaims();
        row.replays = change.replays();
        row.result = change.result().or(() -> row.result);
        row.failure = change.failure().or(() -> row.failure);
        row.endedBy = change.after().terminal() ? change.by() : Optional.empty();
        change(row, change.transition(), change.after());
        shares.changed(row);
        record(row, change.transition(), owner, change.by(), change.failure());
    }

    /** Forgets an execution that has ended. Its key is free again. */
    void erase(MemoryExecution row) {
        rows.remove(row.id().uuid());
        purses.ledger.remove(row.id());
        row.submission.key().ifPresent(key -> keysOf(row.lane().namespace()).remove(key));
    }

    private void change(MemoryExecution row, Transition transition, ExecutionState after) {
        row.state = transition.check(row.state, after);
        row.changed = now();
    }

    private void record(
            MemoryExecution row,
            Transition transition,
            Optional<Owner> owner,
            Optional<Attribution> by,
            Optional<Failure> failure) {
        if (row.state instanceof Ready) {
            wake(row.lane(), row.id().uuid());
        }
        Optional<Instant> until =
                switch (row.state) {
                    case Delayed delayed -> Optional.of(delayed.until());
                    case Granted granted -> Optional.of(granted.until());
                    default -> Optional.empty();
                };
        log.append(
                new Event.Step(
                        row.id(),
                        row.lane(),
                        transition,
                        row.state.situation(),
                        now(),
                        row.attempts,
                        row.epoch,
                        owner,
                        by,
                        until,
                        failure),
                row.submission.tags());
    }

    private Map<String, MemoryExecution> keysOf(Namespace namespace) {
        return keys.computeIfAbsent(namespace, unknown -> new HashMap<>());
    }
}
