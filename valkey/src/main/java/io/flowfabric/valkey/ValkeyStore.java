package io.flowfabric.valkey;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.operate.Namespaces;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.schedule.Firings;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signing.KeyWrapping;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.valkey.internal.Abilities;
import io.flowfabric.valkey.internal.Deaths;
import io.flowfabric.valkey.internal.FlowSettling;
import io.flowfabric.valkey.internal.GuardedWrites;
import io.flowfabric.valkey.internal.PartitionCount;
import io.flowfabric.valkey.internal.Placement;
import io.flowfabric.valkey.internal.StartCheck;
import io.flowfabric.valkey.internal.Steps;
import io.flowfabric.valkey.internal.UnreadableWork;
import io.flowfabric.valkey.internal.ValkeyBreaches;
import io.flowfabric.valkey.internal.ValkeyBudgets;
import io.flowfabric.valkey.internal.ValkeyClaims;
import io.flowfabric.valkey.internal.ValkeyContext;
import io.flowfabric.valkey.internal.ValkeyFeeds;
import io.flowfabric.valkey.internal.ValkeyFirings;
import io.flowfabric.valkey.internal.ValkeyFlows;
import io.flowfabric.valkey.internal.ValkeyGrants;
import io.flowfabric.valkey.internal.ValkeyKeys;
import io.flowfabric.valkey.internal.ValkeyLanes;
import io.flowfabric.valkey.internal.ValkeyLeases;
import io.flowfabric.valkey.internal.ValkeyMaintenance;
import io.flowfabric.valkey.internal.ValkeyNamespaces;
import io.flowfabric.valkey.internal.ValkeyOperations;
import io.flowfabric.valkey.internal.ValkeyQueries;
import io.flowfabric.valkey.internal.ValkeyQuotas;
import io.flowfabric.valkey.internal.ValkeySchedules;
import io.flowfabric.valkey.internal.ValkeySessions;
import io.flowfabric.valkey.internal.ValkeySignals;
import io.flowfabric.valkey.internal.ValkeySpending;
import io.flowfabric.valkey.internal.ValkeyStreams;
import io.flowfabric.valkey.internal.ValkeySubmissions;
import io.flowfabric.valkey.internal.ValkeyWorkers;
import io.flowfabric.valkey.internal.wire.Copies;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.LettuceWire;
import io.flowfabric.valkey.internal.wire.ServerAddress;
import io.flowfabric.valkey.internal.wire.Wire;

import java.time.InstantSource;
import java.util.Optional;

/** The store on Valkey 7.2 and Redis 7.0 and later, one node or a cluster. */
public final class ValkeyStore implements Store {
    private final ValkeyContext valkey;
    private final Submissions submissions;
    private final Sessions sessions;
    private final Claims claims;
    private final Leases leases;
    private final Signals signals;
    private final Flows flows;
    private final Namespaces namespaces;
    private final Lanes lanes;
    private final Quotas quotas;
    private final Budgets budgets;
    private final Queries queries;
    private final Grants grants;
    private final Workers workers;
    private final Keys keys;
    private final Operations operations;
    private final Feeds feeds;
    private final Maintenance maintenance;

    ValkeyStore(Wire wire, Optional<InstantSource> clock) {
        this(wire, Optional.empty(), clock);
    }

    ValkeyStore(Wire wire, Optional<KeyWrapping> wrapping, Optional<InstantSource> clock) {
        this(wire, wrapping, clock, Placement.HASHED);
    }

    ValkeyStore(
            Wire wire,
            Optional<KeyWrapping> wrapping,
            Optional<InstantSource> clock,
            Placement placement) {
        this.valkey = new ValkeyContext(wire, clock, placement);
        var settling = new FlowSettling(valkey);
        var steps = new Steps(valkey, settling);
        var deaths = new Deaths(valkey, steps);
        this.submissions = new ValkeySubmissions(valkey);
        this.sessions = new ValkeySessions(valkey, deaths);
        var unreadable = new UnreadableWork(valkey);
        var claiming = new ValkeyClaims(valkey, new Abilities(valkey), unreadable);
        this.claims = claiming;
        var keyring = new ValkeyKeys(valkey, wrapping);
        this.keys = keyring;
        this.grants = new ValkeyGrants(valkey, claiming, unreadable, keyring);
        this.workers = new ValkeyWorkers(valkey, deaths);
        var breaches = new ValkeyBreaches(valkey, steps);
        this.leases = new ValkeyLeases(valkey, new ValkeySpending(valkey, breaches), settling);
        this.flows = new ValkeyFlows(valkey, settling);
        this.signals = new ValkeySignals(valkey, keyring);
        var settings = new ValkeyNamespaces(valkey, new GuardedWrites(valkey));
        this.namespaces = settings;
        this.maintenance = new ValkeyMaintenance(valkey, steps, deaths, breaches, settings);
        this.lanes = new ValkeyLanes(valkey);
        this.quotas = new ValkeyQuotas(valkey);
        this.budgets = new ValkeyBudgets(valkey, breaches);
        this.queries = new ValkeyQueries(valkey);
        this.operations = new ValkeyOperations(valkey, steps, settling, unreadable);
        this.feeds = new ValkeyFeeds(valkey);
    }

    /**
     * Opens the store, after a look at the servers; one line in the log says how safe there is what
     * they acknowledge. The functions that it needs are handed to them when they do not have them.
     *
     * @throws io.flowfabric.core.StoreFailure when no server can be reached
     * @throws io.flowfabric.core.Unavailable when it must not be used as it is: it is too old, it
     *     may evict what it keeps, it is a replica, it refuses the login
     */
    public static ValkeyStore open(ValkeyOptions options) {
        return open(options, Optional.empty());
    }

    /**
     * Opens the store.
     *
     * @param wrapping protects the secrets of signing keys on the server
     * @throws io.flowfabric.core.FlowFabricException when no server can be reached
     */
    public static ValkeyStore open(ValkeyOptions options, KeyWrapping wrapping) {
        return open(options, Optional.of(wrapping));
    }

    private static ValkeyStore open(ValkeyOptions options, Optional<KeyWrapping> wrapping) {
        var wire =
                new LettuceWire(
                        ServerAddress.parse(options.url()),
                        options.user(),
                        options.password(),
                        new KeySpace(options.prefix()),
                        options.callTimeout(),
                        options.connectTimeout(),
                        new Copies(options.replicas(), options.replicaTimeout()));
        boolean opened = false;
        try {
            new StartCheck(wire.facts(), options.replicas()).pass();
            var store = new ValkeyStore(wire, wrapping, Optional.empty());
            PartitionCount.check(store.valkey);
            opened = true;
            return store;
        } finally {
            if (!opened) {
                wire.close();
            }
        }
    }

    /**
     * Spreads a namespace over several partitions, so that the nodes of a cluster share its work.
     * That is decided before it is used, and never changes; to say it again does nothing.
     *
     * @param partitions a few times as many as the cluster has nodes
     * @throws io.flowfabric.core.Invalid when there are no so many
     * @throws io.flowfabric.core.Conflict when it is in use, and spread otherwise
     */
    public void spread(Namespace namespace, int partitions) {
        valkey.spread(namespace, partitions);
    }

    @Override
    public Submissions submissions() {
        return submissions;
    }

    @Override
    public Sessions sessions() {
        return sessions;
    }

    @Override
    public Claims claims() {
        return claims;
    }

    @Override
    public Leases leases() {
        return leases;
    }

    @Override
    public Signals signals() {
        return signals;
    }

    @Override
    public Flows flows() {
        return flows;
    }

    @Override
    public Queries queries() {
        return queries;
    }

    @Override
    public Streams streams() {
        return new ValkeyStreams(valkey);
    }

    @Override
    public Wakeups wakeups() {
        return valkey.wakeups();
    }

    @Override
    public Grants grants() {
        return grants;
    }

    @Override
    public Namespaces namespaces() {
        return namespaces;
    }

    @Override
    public Lanes lanes() {
        return lanes;
    }

    @Override
    public Quotas quotas() {
        return quotas;
    }

    @Override
    public Budgets budgets() {
        return budgets;
    }

    @Override
    public Schedules schedules() {
        return new ValkeySchedules(valkey);
    }

    @Override
    public Firings firings() {
        return new ValkeyFirings(valkey);
    }

    @Override
    public Workers workers() {
        return workers;
    }

    @Override
    public Keys keys() {
        return keys;
    }

    @Override
    public Operations operations() {
        return operations;
    }

    @Override
    public Feeds feeds() {
        return feeds;
    }

    @Override
    public Maintenance maintenance() {
        return maintenance;
    }

    @Override
    public void close() {
        valkey.close();
    }
}
