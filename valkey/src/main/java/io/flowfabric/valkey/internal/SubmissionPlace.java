package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.valkey.internal.wire.Item;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Comparator;

/**
 * A place in the order of submission.
 *
 * @param submitted when, in milliseconds
 * @param sequence the number of the submission
 */
record SubmissionPlace(long submitted, long sequence) {
    /** What six bytes can hold. */
    private static final long MOST = (1L << 48) - 1;

    static final SubmissionPlace FIRST = new SubmissionPlace(0, 0);
    static final SubmissionPlace LAST = new SubmissionPlace(MOST, MOST);

    static final Comparator<SubmissionPlace> ORDER =
            Comparator.comparingLong(SubmissionPlace::submitted)
                    .thenComparingLong(SubmissionPlace::sequence);

    /** Before everything that was submitted at a moment or after it. */
    static SubmissionPlace at(Instant moment) {
        if (moment.isBefore(Instant.EPOCH)) {
            return FIRST;
        }
        if (moment.isAfter(Instant.ofEpochMilli(MOST))) {
            return LAST;
        }
        long millis = moment.toEpochMilli();
        boolean between = moment.isAfter(Instant.ofEpochMilli(millis));
        return new SubmissionPlace(Math.min(between ? millis + 1 : millis, MOST), 0);
    }

    static SubmissionPlace read(Item pair) {
        return read(pair.at(0), pair.at(1));
    }

    static SubmissionPlace read(Item submitted, Item sequence) {
        return new SubmissionPlace(submitted.number(), sequence.number());
    }

    static SubmissionPlace of(Cursor cursor) {
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != 2 * Long.BYTES) {
            throw Cursor.malformed();
        }
        return read(ByteBuffer.wrap(position));
    }

    /** The next place in a cursor. */
    static SubmissionPlace read(ByteBuffer bytes) {
        var place = new SubmissionPlace(bytes.getLong(), bytes.getLong());
        if (!place.fits()) {
            throw Cursor.malformed();
        }
        return place;
    }

    private boolean fits() {
        return submitted >= 0 && submitted <= MOST && sequence >= 0 && sequence < MOST;
    }

    Cursor cursor() {
        return Cursor.at(
                Cursor.Purpose.LISTING,
                ByteBuffer.allocate(2 * Long.BYTES).putLong(submitted).putLong(sequence).array());
    }

    /** As the indexes have it. */
    byte[] bytes() {
        return ByteBuffer.allocate(12)
                .putShort((short) (submitted >>> Integer.SIZE))
                .putInt((int) submitted)
                .putShort((short) (sequence >>> Integer.SIZE))
                .putInt((int) sequence)
                .array();
    }

    SubmissionPlace next() {
        return new SubmissionPlace(submitted, sequence + 1);
    }

    SubmissionPlace orLater(SubmissionPlace other) {
        return ORDER.compare(this, other) >= 0 ? this : other;
    }

    SubmissionPlace orSooner(SubmissionPlace other) {
        return ORDER.compare(this, other) <= 0 ? this : other;
    }
}
