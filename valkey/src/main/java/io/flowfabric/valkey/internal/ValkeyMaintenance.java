package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Maintenance;

import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** What happens because time passes, in all partitions that are in use. */
public final class ValkeyMaintenance implements Maintenance {
    private final ValkeyContext valkey;
    private final TimerRounds time;
    private final Deaths deaths;
    private final ValkeyBreaches breaches;
    private final Forgetting forgetting;

    public ValkeyMaintenance(
            ValkeyContext valkey,
            Steps steps,
            Deaths deaths,
            ValkeyBreaches breaches,
            ValkeyNamespaces namespaces) {
        this.valkey = valkey;
        this.time = new TimerRounds(valkey, steps, deaths);
        this.deaths = deaths;
        this.breaches = breaches;
        this.forgetting =
                new Forgetting(
                        valkey, namespace -> namespaces.describe(namespace).settings().retention());
    }

    @Override
    public Round tick(Chore chore, int limit) {
        int done = 0;
        int errors = 0;
        for (var partition : Partitions.inUse(valkey)) {
            if (done == limit) {
                break;
            }
            var round = tick(chore, partition, limit - done);
            done += round.processed();
            errors += round.errors();
        }
        return new Round(done, errors, done == limit);
    }

    private Round tick(Chore chore, Partition partition, int limit) {
        return switch (chore) {
            case SESSIONS -> time.sessions(partition, limit);
            case TIMERS -> timers(partition, limit);
            case RETENTION -> forget(partition, limit);
        };
    }

    private Round timers(Partition partition, int limit) {
        var round = time.timers(partition, limit);
        int done = round.processed();
        done += breaches.openDue(partition, limit - done);
        return new Round(done, round.errors(), done == limit);
    }

    private Round forget(Partition partition, int limit) {
        var round = forgetting.forget(partition, limit);
        int done = round.processed();
        // A session leaves nothing behind that anybody would count.
        int unused = deaths.forget(partition, limit);
        done += forgetting.dropEvents(partition, limit - done);
        return new Round(done, round.errors(), done == limit);
    }

    @Override
    public Optional<Duration> nextDue(Duration within) {
        return Partitions.inUse(valkey).stream()
                .flatMap(partition -> time.nextDue(partition).stream())
                .min(Comparator.naturalOrder())
                .filter(left -> left.compareTo(within) <= 0);
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
