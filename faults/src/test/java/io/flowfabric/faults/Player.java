package io.flowfabric.faults;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** One of many who do to the same executions whatever comes to their mind, in any order. */
final class Player {
    /** What can be done. */
    enum Deed {
        CLAIM,
        CLAIM_ONE,
        FINISH,
        PROGRESS,
        HEARTBEAT,
        CLOSE,
        CANCEL,
        REPRIORITISE,
        REVOKE,
        PAUSE,
        RESUME,
        REPLAY,
        RECLAIM,
        TIMERS
    }

    /** So short that sessions die all the time, while their leases are written to. */
    private static final int LONGEST_TTL_MILLIS = 500;

    private static final int REMEMBERED = 12;

    private static final Attribution OPERATOR =
            new Attribution("ada", "whatever comes to her mind");

    /** Doing these more often keeps the others from running out of work. */
    private static final List<Deed> CHOICES =
            List.of(
                    Deed.CLAIM,
                    Deed.CLAIM,
                    Deed.CLAIM,
                    Deed.CLAIM,
                    Deed.CLAIM,
                    Deed.CLAIM_ONE,
                    Deed.CLAIM_ONE,
                    Deed.FINISH,
                    Deed.FINISH,
                    Deed.FINISH,
                    Deed.FINISH,
                    Deed.PROGRESS,
                    Deed.PROGRESS,
                    Deed.HEARTBEAT,
                    Deed.CLOSE,
                    Deed.CANCEL,
                    Deed.REPRIORITISE,
                    Deed.REVOKE,
                    Deed.PAUSE,
                    Deed.RESUME,
                    Deed.RESUME,
                    Deed.REPLAY,
                    Deed.REPLAY,
                    Deed.RECLAIM,
                    Deed.RECLAIM,
                    Deed.TIMERS,
                    Deed.TIMERS);

    private final Store store;
    private final List<ExecutionId> ids;
    private final Random random;
    private final Deeds deeds;
    private final List<Fence> held = new ArrayList<>();
    private Session session;
    private long claims;

    Player(Store store, List<ExecutionId> ids, long seed, Deeds deeds) {
        this.store = store;
        this.ids = ids;
        this.random = new Random(seed);
        this.deeds = deeds;
        this.session = newSession();
    }

    void playUntil(BooleanSupplier over) {
        open();
        while (!over.getAsBoolean()) {
            var deed = CHOICES.get(random.nextInt(CHOICES.size()));
            try {
                perform(deed);
            } catch (RuntimeException e) {
                deeds.threw(deed, e);
                if (deed == Deed.CLAIM || deed == Deed.CLAIM_ONE) {
                    open();
                }
            }
        }
    }

    private void perform(Deed deed) {
        switch (deed) {
            case CLAIM -> {
                var claim = new Claim(session.id(), ++claims, 1 + random.nextInt(8));
                take(deed, store.claims().claim(claim).leases());
            }
            case CLAIM_ONE ->
                    take(deed, List.of(store.operations().claim(any(), session.id(), OPERATOR)));
            case FINISH -> deeds.answered(deed, store.leases().end(endings()));
            case PROGRESS -> deeds.answered(deed, store.leases().progress(reports()));
            case HEARTBEAT -> {
                var beat = new Heartbeat(session.id(), claims, new HashSet<>(held));
                deeds.answered(deed, store.sessions().heartbeat(List.of(beat)));
            }
            case CLOSE -> {
                store.sessions().close(session.id());
                deeds.done(deed, 1);
                open();
            }
            case CANCEL -> act(deed, OperatorCommand.Cancel::new);
            case REPRIORITISE ->
                    act(deed, id -> new OperatorCommand.Reprioritise(id, random.nextInt(9)));
            case REVOKE -> act(deed, OperatorCommand.Revoke::new);
            case PAUSE -> act(deed, OperatorCommand.Pause::new);
            case RESUME -> act(deed, OperatorCommand.Resume::new);
            case REPLAY -> act(deed, OperatorCommand.Replay::new);
            case RECLAIM -> tick(deed, Chore.SESSIONS);
            case TIMERS -> tick(deed, Chore.TIMERS);
        }
    }

    private void open() {
        session = newSession();
        claims = 0;
        store.sessions().open(session);
    }

    private Session newSession() {
        return Session.of("player", "here", FaultScenario.LANE.name())
                .ttl(Duration.ofMillis(20 + random.nextInt(LONGEST_TTL_MILLIS)));
    }

    private void take(Deed deed, List<Lease> leases) {
        leases.forEach(lease -> held.add(lease.fence()));
        held.subList(0, Math.max(0, held.size() - REMEMBERED)).clear();
        deeds.done(deed, leases.size());
    }

    private void tick(Deed deed, Chore chore) {
        deeds.done(deed, store.maintenance().tick(chore, 1000).processed());
    }

    private void act(Deed deed, Function<ExecutionId, OperatorCommand> what) {
        var some = new ArrayList<>(ids);
        Collections.shuffle(some, random);
        var acts = some.stream().limit(1 + random.nextInt(8)).map(what).toList();
        deeds.answered(deed, store.operations().act(acts, OPERATOR));
    }

    private ExecutionId any() {
        return ids.get(random.nextInt(ids.size()));
    }

    /** Some of what it was given last, in any order: others may have it by now. */
    private List<Fence> someHeld() {
        var some = new ArrayList<>(held);
        Collections.shuffle(some, random);
        return some.subList(0, Math.min(some.size(), 6));
    }

    private List<Ending> endings() {
        var some = someHeld();
        held.removeAll(some);
        return some.stream().map(this::ending).toList();
    }

    private Ending ending(Fence fence) {
        return switch (random.nextInt(5)) {
            case 0 -> new Ending.Release(fence);
            case 1 -> new Ending.Delay(fence, Due.in(Duration.ofMillis(3)));
            case 2 -> failed(fence);
            default -> new Ending.Complete(fence, Payload.text("done " + fence));
        };
    }

    private static Ending failed(Fence fence) {
        var failure = Failure.of(Failure.TRANSIENT, "again");
        return new Ending.Fail(
                fence, failure, DeadlockTest.POLICY.retry().decide(fence.execution(), failure, 0));
    }

    private List<Progress> reports() {
        return someHeld().stream().map(fence -> new Progress(fence, 50, "half")).toList();
    }
}
