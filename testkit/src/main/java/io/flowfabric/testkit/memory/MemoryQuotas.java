package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Tags;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.QuotaUse;

import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** How quotas are kept. */
final class MemoryQuotas implements Quotas {
    private final MemoryState world;

    MemoryQuotas(MemoryState world) {
        this.world = world;
    }

    @Override
    public QuotaView define(Quota quota, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var before = quotas(quota.namespace()).put(quota.name(), quota);
                    if (!quota.equals(before)) {
                        tell(quota.namespace(), quota.name(), Optional.of(quota), by);
                    }
                    return view(quota.namespace(), QuotaUse.of(quota.name()));
                });
    }

    @Override
    public QuotaView describe(Namespace namespace, QuotaUse use) {
        return world.call(() -> view(namespace, use));
    }

    @Override
    public Page<Quota> list(Namespace namespace, Cursor after, int max) {
        return world.call(
                () -> {
                    var start = ListingPages.nameAfter(after);
                    return ListingPages.byName(
                            quotas(namespace).tailMap(start, false).values().stream().toList(),
                            max,
                            quota -> quota.name());
                });
    }

    @Override
    public void delete(Namespace namespace, String quota, Attribution by) {
        by.mustBeOperator();
        world.call(
                () -> {
                    world.lanes.mustNotBeNamed(
                            namespace, "the quota " + quota, lane -> lane.quotas().contains(quota));
                    if (quotas(namespace).remove(quota) != null) {
                        tell(namespace, quota, Optional.empty(), by);
                    }
                    return quota;
                });
    }

    @Override
    public QuotaRecount recount(Namespace namespace) {
        return world.call(
                () -> {
                    var recount = world.meters.recount(namespace, world.executions.rows());
                    recount.drifts().forEach(drift -> tell(namespace, drift));
                    if (!recount.drifts().isEmpty()) {
                        world.wakeups.wakeAll(namespace);
                    }
                    return recount;
                });
    }

    private void tell(Namespace namespace, QuotaRecount.Drift drift) {
        world.log.append(
                new Event.Drifted(
                        namespace, "quota " + drift.use(), drift.said(), drift.runs(), world.now()),
                Tags.NONE);
    }

    private void tell(Namespace namespace, String name, Optional<Quota> quota, Attribution by) {
        world.meters.redefined(namespace, name, world.now());
        world.log.append(new Event.QuotaChange(namespace, name, quota, by, world.now()), Tags.NONE);
        world.wakeups.wakeAll(namespace);
    }

    private QuotaView view(Namespace namespace, QuotaUse use) {
        var quota =
                world.meters
                        .quota(namespace, use.quota())
                        .orElseThrow(() -> new NotFound("quota", use.quota()));
        return world.meters.view(quota, use, world.now());
    }

    private NavigableMap<String, Quota> quotas(Namespace namespace) {
        return world.meters.quotas.computeIfAbsent(namespace, unknown -> new TreeMap<>());
    }
}
