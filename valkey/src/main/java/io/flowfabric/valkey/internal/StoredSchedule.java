package io.flowfabric.valkey.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.ScheduleCodec;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A schedule as it is stored: what is defined, and how it stands. Every change of either changes
 * how it stands, so that is what a change is compared by.
 *
 * @param settings what is defined, with what this program does not know
 * @param standing how it stands, as it was read
 */
record StoredSchedule(ScheduleView view, JsonObject settings, String standing) {
    static final String HASH = "global";
    static final String LISTING = "listing";
    static final char NAME_LETTER = 's';
    static final String DUE_LETTER = "t";
    static final String PARTITION_LETTER = "S";

    /** Milliseconds since 1970 as hexadecimal digits, which sort as they count. */
    private static final int DUE_DIGITS = 12;

    /** The fields of a schedule: what is defined, and how it stands. */
    static List<byte[]> fields(Namespace namespace, String name) {
        return List.of(definitionField(namespace, name), standingField(namespace, name));
    }

    static byte[] definitionField(Namespace namespace, String name) {
        return ("schedule\0" + NameListing.whole(namespace, name)).getBytes(UTF_8);
    }

    static byte[] standingField(Namespace namespace, String name) {
        return ("standing\0" + NameListing.whole(namespace, name)).getBytes(UTF_8);
    }

    /**
     * Reads a schedule.
     *
     * @param values of its fields
     * @return nothing when there is none
     * @throws StoreFailure when it cannot be read
     */
    static Optional<StoredSchedule> read(
            Namespace namespace, String name, List<Optional<byte[]>> values) {
        if (values.get(0).isEmpty() || values.get(1).isEmpty()) {
            return Optional.empty();
        }
        try {
            var defined = Item.read(values.get(0).get());
            var settings = Json.parseObject(defined.at(0).text());
            var schedule = ScheduleCodec.read(namespace, name, settings, defined.at(1).bytes());
            var standing = new String(values.get(1).get(), UTF_8);
            var view = ScheduleCodec.standing(schedule, Json.parseObject(standing));
            return Optional.of(new StoredSchedule(view, settings, standing));
        } catch (RuntimeException unreadable) {
            throw StoreFailure.unreadable("The schedule " + name, unreadable);
        }
    }

    static byte[] definition(Schedule schedule, JsonObject before) {
        return new Packer()
                .list(2)
                .text(ScheduleCodec.write(schedule, before).toString())
                .bytes(schedule.work().input().bytes())
                .done();
    }

    static byte[] standing(ScheduleView view) {
        return ScheduleCodec.standing(view).toString().getBytes(UTF_8);
    }

    /** Where it stands among those that are to be seen to; nothing when it is not. */
    static Optional<String> dueMember(ScheduleView view) {
        var schedule = view.schedule();
        return view.due()
                .map(
                        at ->
                                DUE_LETTER
                                        + dueText(at)
                                        + NameListing.whole(schedule.namespace(), schedule.name()));
    }

    private static String dueText(Instant at) {
        return ("%0" + DUE_DIGITS + "x").formatted(at.toEpochMilli());
    }

    /** When the schedule is to be seen to that has such a place, without its letter. */
    static Instant dueOf(String place) {
        return Instant.ofEpochMilli(Long.parseLong(place, 0, DUE_DIGITS, HEX));
    }

    private static final int HEX = 16;

    /** The namespace of the schedule that has such a place. */
    static Namespace namespaceOf(String place) {
        return new Namespace(place.substring(DUE_DIGITS, place.indexOf(0)));
    }

    /** The name of the schedule that has such a place. */
    static String nameOf(String place) {
        return place.substring(place.indexOf(0) + 1);
    }
}
