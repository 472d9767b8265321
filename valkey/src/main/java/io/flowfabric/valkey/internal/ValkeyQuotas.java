package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.admission.QuotaRecount.Drift;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.record.QuotaRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Optional;

/** How quotas are kept. */
public final class ValkeyQuotas implements Quotas {
    private static final char LETTER = 'q';

    private final ValkeyContext valkey;

    public ValkeyQuotas(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    @Override
    public QuotaView define(Quota quota, Attribution by) {
        by.mustBeOperator();
        return GuardedWrites.retry(
                "quota " + quota.name(),
                () ->
                        isDefined(quota, by)
                                ? Optional.of(
                                        describe(quota.namespace(), QuotaUse.of(quota.name())))
                                : Optional.empty());
    }

    private boolean isDefined(Quota quota, Attribution by) {
        var read = read(quota.namespace(), QuotaUse.of(quota.name()));
        var known = stored(quota.namespace(), quota.name(), read);
        if (known.map(QuotaRecord::quota).filter(quota::equals).isPresent()) {
            return true;
        }
        var change =
                new Event.QuotaChange(
                        quota.namespace(), quota.name(), Optional.of(quota), by, read.now());
        return valkey.call(
                        "define_quota",
                        valkey.inUse(quota.namespace()).main(),
                        out -> {
                            out.list(5)
                                    .text(quota.namespace().name())
                                    .text(quota.name())
                                    .optional(known.map(QuotaRecord::written), Packer::text);
                            QuotaRecord.write(out, quota, known);
                            out.packed(GuardedWrites.packed(change));
                        })
                .answer()
                .truth();
    }

    @Override
    public QuotaView describe(Namespace namespace, QuotaUse use) {
        var read = read(namespace, use);
        return stored(namespace, use.quota(), read)
                .orElseThrow(() -> new NotFound("quota", use.quota()))
                .view(use, read.answer().at(1).at(0).optional(Item::bytes), read.now());
    }

    private Told read(Namespace namespace, QuotaUse use) {
        return valkey.read(
                "read",
                valkey.home(namespace),
                out ->
                        out.list(2)
                                .list(2)
                                .text("quota")
                                .list(1)
                                .text(NameListing.whole(namespace, use.quota()))
                                .list(2)
                                .text("meter")
                                .list(1)
                                .text(NameListing.whole(namespace, GateDefinition.name(use))));
    }

    private static Optional<QuotaRecord> stored(Namespace namespace, String name, Told read) {
        return read.answer()
                .at(0)
                .at(0)
                .optional(packed -> QuotaRecord.read(namespace, name, packed.bytes()));
    }

    @Override
    public Page<Quota> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var names = NameListing.of(valkey, LETTER, namespace, start, max + 1);
        var stored =
                NameListing.values(
                        valkey,
                        valkey.home(namespace),
                        "quota",
                        names.stream().map(name -> NameListing.whole(namespace, name)).toList());
        var quotas = new ArrayList<Quota>();
        for (int i = 0; i < names.size(); i++) {
            var name = names.get(i);
            stored.get(i)
                    .map(packed -> QuotaRecord.read(namespace, name, packed).quota())
                    .ifPresent(quotas::add);
        }
        return ListingPages.byName(quotas, max, Quota::name);
    }

    @Override
    public void delete(Namespace namespace, String quota, Attribution by) {
        by.mustBeOperator();
        var home = valkey.home(namespace);
        var now = valkey.read("read", home, out -> out.list(0)).now();
        var change = new Event.QuotaChange(namespace, quota, Optional.empty(), by, now);
        var lane =
                valkey.call(
                                "delete_quota",
                                home,
                                out ->
                                        out.list(3)
                                                .text(namespace.name())
                                                .text(quota)
                                                .packed(GuardedWrites.packed(change)))
                        .answer()
                        .optional(Item::text);
        if (lane.isPresent()) {
            throw Conflicts.namedByLane(new Lane(namespace, lane.get()), "the quota " + quota);
        }
    }

    @Override
    public QuotaRecount recount(Namespace namespace) {
        var told =
                valkey.call(
                                "recount_quotas",
                                valkey.home(namespace),
                                out -> out.list(1).text(namespace.name()))
                        .answer();
        var drifts =
                told.at(1).list(ValkeyQuotas::drift).stream()
                        .sorted(Comparator.comparing(Drift::use))
                        .toList();
        return new QuotaRecount(told.at(0).small(), drifts);
    }

    private static Drift drift(Item told) {
        var key = Optional.of(told.at(1).text()).filter(some -> !some.isEmpty());
        return new Drift(
                new QuotaUse(told.at(0).text(), key), told.at(2).small(), told.at(3).small());
    }
}
