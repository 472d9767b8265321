package io.flowfabric.valkey.internal;

import io.flowfabric.valkey.internal.record.ExecutionLayout;
import io.flowfabric.valkey.internal.wire.Item;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry of the log, as {@code log.lua} writes it: everything that one call has done.
 *
 * @param events each by itself; steps that many executions took alike are stored as one
 */
record LoggedEntry(long stamp, List<Item> events) {
    /** What an entry that cannot be read is taken for. */
    private static final LoggedEntry EMPTY = new LoggedEntry(0, List.of());

    private static final int FORMAT = 1;

    /** The format, when it was written, its stamp, and how many events it has. */
    private static final int HEAD_BYTES = 19;

    /** Of each step id, partition, attempts, epoch. */
    private static final int STEP_BYTES = 28;

    private static final int UUID_BYTES = 16;

    private static final Item ABSENT = new Item.Truth(false);

    /** What is left of a step that was erased: it has the highest number for a partition. */
    private static final int GONE = 0xFFFF;

    /** An entry; an empty one when it cannot be read. */
    static LoggedEntry read(Item stored) {
        try {
            return read(stored.bytes());
        } catch (Item.Unreadable damaged) {
            return EMPTY;
        }
    }

    private static LoggedEntry read(byte[] packed) {
        if (packed.length <= HEAD_BYTES || packed[0] != FORMAT) {
            return EMPTY;
        }
        var in = ByteBuffer.wrap(packed);
        in.get();
        var at = new Item.Whole(ExecutionLayout.unsigned(in, 6));
        long stamp = in.getLong();
        in.getInt();
        var rest = new byte[in.remaining()];
        in.get(rest);
        var events = new ArrayList<Item>();
        for (var event : Item.read(rest).list()) {
            if (event.at(0).small() == LoggedEvent.STEPS) {
                addSteps(events, event, at);
            } else {
                events.add(event);
            }
        }
        return new LoggedEntry(stamp, events);
    }

    /** Steps of many executions, in the form that a step of one has. */
    private static void addSteps(List<Item> events, Item many, Item at) {
        var in = ByteBuffer.wrap(many.at(5).bytes());
        while (in.remaining() >= STEP_BYTES) {
            var id = new byte[UUID_BYTES];
            in.get(id);
            int partition = in.getShort() & 0xFFFF;
            var attempts = new Item.Whole(in.getInt() & 0xFFFFFFFFL);
            var epoch = new Item.Whole(ExecutionLayout.unsigned(in, 6));
            events.add(
                    partition == GONE
                            ? new Item.Items(List.of(new Item.Whole(LoggedEvent.GONE)))
                            : new Item.Items(
                                    List.of(
                                            new Item.Whole(LoggedEvent.STEP),
                                            new Item.Bytes(id),
                                            new Item.Whole(partition),
                                            many.at(1),
                                            many.at(2),
                                            many.at(3),
                                            at,
                                            attempts,
                                            epoch,
                                            many.at(4),
                                            ABSENT,
                                            ABSENT,
                                            ABSENT)));
        }
    }
}
