package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Flows.FlowFilter;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/** Flows of a namespace, the newest first. */
final class FlowListing {
    private static final Logger log = LoggerFactory.getLogger(FlowListing.class);

    /** How many are looked at with one call. */
    private static final int PORTION = 200;

    private final ValkeyContext valkey;

    FlowListing(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /** A flow with its number in the order of submission. */
    private record Numbered(long number, FlowView view) {}

    Page<FlowView> list(FlowFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var behind =
                after.equals(Cursor.START) ? Optional.<Long>empty() : Optional.of(number(after));
        var found = new ArrayList<Numbered>();
        boolean more = true;
        while (more && found.size() <= max) {
            var from = behind;
            var told =
                    valkey.read(
                            "list_flows",
                            valkey.spread(filter.namespace()).main(),
                            out ->
                                    out.list(3)
                                            .text(filter.namespace().name())
                                            .optional(from, (o, number) -> o.number(number))
                                            .number(PORTION));
            for (var one : told.answer().list()) {
                behind = Optional.of(one.at(0).number());
                view(one, told.now())
                        .filter(filter::fits)
                        .ifPresent(view -> found.add(new Numbered(one.at(0).number(), view)));
            }
            more = told.answer().list().size() == PORTION;
        }
        var page = ListingPages.page(found, max, FlowListing::position);
        return new Page<>(page.items().stream().map(Numbered::view).toList(), page.next());
    }

    private static Optional<FlowView> view(Item told, Instant now) {
        var uuid = told.at(1).uuid();
        try {
            return Optional.of(StoredFlow.read(uuid, told.at(2), told.at(3), now).view());
        } catch (Item.Unreadable damaged) {
            log.warn("The flow {} cannot be read, and is not listed", uuid, damaged);
            return Optional.empty();
        }
    }

    private static byte[] position(Numbered flow) {
        return ByteBuffer.allocate(Long.BYTES).putLong(flow.number).array();
    }

    private static long number(Cursor cursor) {
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != Long.BYTES) {
            throw Cursor.malformed();
        }
        long number = ByteBuffer.wrap(position).getLong();
        if (number < 0 || number >= 1L << 48) {
            throw Cursor.malformed();
        }
        return number;
    }
}
