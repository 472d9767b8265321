package io.flowfabric.valkey.internal.record;

import io.flowfabric.valkey.internal.wire.Item;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How the fields of an execution are laid out, as {@code records.lua} writes them: what every one
 * has in fixed places, and what few have as a list behind it.
 */
public final class ExecutionLayout {
    private static final int FORMAT = 1;

    /** The places of the fields that few have, in the order of the list. */
    private static final int[] FEW_HAVE = {
        14, 15, 16, 19, 20, 22, 23, 24, 25, 26, 29, 30, 31, 32, 33
    };

    private static final Item ABSENT = new Item.Truth(false);

    private ExecutionLayout() {}

    /**
     * The fields, by the numbers of {@code constants.lua} less one.
     *
     * @throws Item.Unreadable when they are damaged, or of a newer program
     */
    static Item read(byte[] packed) {
        try {
            return read(ByteBuffer.wrap(packed));
        } catch (BufferUnderflowException e) {
            throw Item.unreadable("an execution is cut off");
        }
    }

    private static Item read(ByteBuffer in) {
        if (in.get() != FORMAT) {
            throw Item.unreadable("an execution is laid out in another way");
        }
        var situation = number(in, 1);
        var next = number(in, 1);
        var partition = number(in, 2);
        var attempts = number(in, 4);
        var epoch = number(in, 6);
        var changed = number(in, 6);
        var since = number(in, 6);
        var retries = number(in, 4);
        var reclaims = number(in, 4);
        var replays = number(in, 4);
        var lane = number(in, 4);
        var gate = number(in, 4);
        var submitted = number(in, 6);
        var sequence = number(in, 6);
        var priority = number(in, 2);
        int placeBytes = in.get() & 0xFF;
        int sessionBytes = in.get() & 0xFF;
        int givenUpBytes = in.get() & 0xFF;
        int stepsBytes = in.get() & 0xFF;
        var place = text(in, placeBytes);
        var session = text(in, sessionBytes);
        var givenUp = text(in, givenUpBytes);
        var steps = text(in, stepsBytes);
        var fields =
                new ArrayList<>(
                        List.of(
                                situation,
                                next,
                                lane,
                                gate,
                                sequence,
                                submitted,
                                changed,
                                priority,
                                place,
                                attempts,
                                epoch,
                                retries,
                                reclaims,
                                replays,
                                ABSENT,
                                ABSENT,
                                ABSENT,
                                session,
                                session.isAbsent() ? ABSENT : since,
                                ABSENT,
                                ABSENT,
                                givenUp,
                                ABSENT,
                                ABSENT,
                                ABSENT,
                                ABSENT,
                                ABSENT,
                                partition,
                                steps,
                                ABSENT,
                                ABSENT,
                                ABSENT,
                                ABSENT,
                                ABSENT));
        if (in.hasRemaining()) {
            var more = new byte[in.remaining()];
            in.get(more);
            addMore(fields, Item.read(more));
        }
        return new Item.Items(fields);
    }

    private static void addMore(List<Item> fields, Item more) {
        // Older programs have written fewer.
        for (int n = 0; n < Math.min(FEW_HAVE.length, more.list().size()); n++) {
            fields.set(FEW_HAVE[n], more.at(n));
        }
    }

    private static Item number(ByteBuffer in, int bytes) {
        return new Item.Whole(unsigned(in, bytes));
    }

    /** A number without a sign in so many bytes. */
    public static long unsigned(ByteBuffer in, int bytes) {
        long number = 0;
        for (int n = 0; n < bytes; n++) {
            number = (number << Byte.SIZE) | (in.get() & 0xFF);
        }
        return number;
    }

    /** A text, which is absent if it is empty. */
    private static Item text(ByteBuffer in, int bytes) {
        var text = new byte[bytes];
        in.get(text);
        return text.length == 0 ? ABSENT : new Item.Bytes(text);
    }
}
