package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What happens because time passes, in all partitions that are in use. */
public final class ValkeyMaintenance implements Maintenance {
    /** How often signposts are looked at. */
    private static final Duration SIGNPOSTS_EVERY = Duration.ofHours(6);

    private final ValkeyContext valkey;
    private final DuePartitions due;
    private final Steps steps;
    private final TimerRounds time;
    private final Deaths deaths;
    private final ValkeyBreaches breaches;
    private final Forgetting forgetting;
    private final SpreadLanes lanes;
    private final OldSignposts signposts;
    private volatile Instant signpostsSeenTo = Instant.EPOCH;

    /** Of each chore the partition that was looked after last. */
    private final Map<Chore, Partition> last = new ConcurrentHashMap<>();

    public ValkeyMaintenance(
            ValkeyContext valkey,
            Steps steps,
            Deaths deaths,
            ValkeyBreaches breaches,
            ValkeyNamespaces namespaces) {
        this.valkey = valkey;
        this.due = new DuePartitions(valkey);
        this.steps = steps;
        this.time = new TimerRounds(valkey, steps, deaths);
        this.deaths = deaths;
        this.lanes = new SpreadLanes(valkey);
        this.signposts = new OldSignposts(valkey);
        this.breaches = breaches;
        this.forgetting =
                new Forgetting(
                        valkey, namespace -> namespaces.describe(namespace).settings().retention());
    }

    @Override
    public Round tick(Chore chore, int limit) {
        if (chore == Chore.RETENTION) {
            valkey.spreads().readAgain();
            takeSignpostsDown();
        }
        var where = chore == Chore.RETENTION ? due.all() : due.now(chore);
        int done = 0;
        int errors = where.unanswered();
        int failed = where.unanswered();
        RuntimeException failure = null;
        for (var partition : inTurn(chore, where.partitions())) {
            if (done == limit) {
                break;
            }
            last.put(chore, partition);
            try {
                var round = tick(chore, partition, limit - done);
                done += round.processed();
                errors += round.errors();
            } catch (RuntimeException unanswered) {
                // The others do not wait for it.
                due.isAway(partition, unanswered);
                errors++;
                failed++;
                failure = unanswered;
            }
        }
        if (failure != null && failed == where.known()) {
            throw failure;
        }
        return new Round(done, errors, done == limit);
    }

    /** Seldom: it asks every partition there could be. */
    private void takeSignpostsDown() {
        var now = valkey.now();
        var before = signpostsSeenTo;
        if (Duration.between(before, now).abs().compareTo(SIGNPOSTS_EVERY) >= 0) {
            signpostsSeenTo = now;
            // A signpost leaves nothing behind that anybody would count.
            int unused = signposts.takeDown();
        }
    }

    /** Begins behind the partition where the round before ended: none waits for ever. */
    private List<Partition> inTurn(Chore chore, List<Partition> partitions) {
        int before = Optional.ofNullable(last.get(chore)).map(Partition::number).orElse(-1);
        var turns = new ArrayList<Partition>();
        partitions.stream().filter(it -> it.number() > before).forEach(turns::add);
        partitions.stream().filter(it -> it.number() <= before).forEach(turns::add);
        return turns;
    }

    private Round tick(Chore chore, Partition partition, int limit) {
        return switch (chore) {
            case SESSIONS -> time.sessions(partition, limit);
            case TIMERS -> timers(partition, limit);
            case RETENTION -> forget(partition, limit);
        };
    }

    private Round timers(Partition partition, int limit) {
        var flows = steps.unsettled();
        var round = time.timers(partition, limit, flows);
        int done = round.processed();
        done += breaches.openDue(partition, limit - done, flows);
        int unsettled = flows.settleLeft();
        flows.settle();
        var changes = lanes.finishOverdue(partition, limit - done);
        done += changes.processed();
        return new Round(done, round.errors() + changes.errors() + unsettled, done == limit);
    }

    private Round forget(Partition partition, int limit) {
        var round = forgetting.forget(partition, limit);
        int done = round.processed();
        forgetting.forgetFlows(partition);
        // A session leaves nothing behind that anybody would count.
        int unused = deaths.forget(partition, limit);
        done += forgetting.dropEvents(partition, limit - done);
        return new Round(done, round.errors(), done == limit);
    }

    @Override
    public Optional<Duration> nextDue(Duration within) {
        return due.next().filter(left -> left.compareTo(within) <= 0);
    }

    @Override
    public boolean takeTurn(Duty duty, Duration every) {
        return valkey.call(
                        "take_turn",
                        Partitions.FIRST,
                        out ->
                                out.list(2)
                                        .text(duty.name().toLowerCase(Locale.ROOT))
                                        .duration(every))
                .answer()
                .truth();
    }
}
