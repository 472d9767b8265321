package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.decision.StreamDraft;
import io.flowfabric.core.decision.StreamStanding;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** How streams are stored, as {@code stream.lua} does it. */
public final class FrameRecord {
    private static final int TIME_BYTES = 6;

    private FrameRecord() {}

    /** How a stream stands, with what is gone of it; the server adds the attempt before. */
    public static void write(Packer out, StreamStanding standing) {
        out.list(7)
                .number(standing.next())
                .number(standing.frames())
                .number(standing.bytes())
                .number(standing.passing())
                .moment(standing.at())
                .number(standing.version())
                .number(standing.gone());
    }

    /**
     * How a stream stands.
     *
     * @param stored absent when there is none
     * @param document its summary, or absent
     */
    public static StreamStanding standing(Item stored, Item document) {
        if (stored.isAbsent()) {
            return StreamStanding.EMPTY;
        }
        return Item.decoded(
                () -> {
                    var told = Item.read(stored.bytes());
                    return new StreamStanding(
                            told.at(0).number(),
                            told.at(1).small(),
                            told.at(2).number(),
                            told.at(3).number(),
                            told.at(4).moment(),
                            told.at(5).number(),
                            document.isAbsent() ? "" : document.text());
                });
    }

    /** A new frame: its place, its number, and itself. */
    public static void write(Packer out, StreamDraft.NewFrame added) {
        out.list(3)
                .number(added.frame().position())
                .number(added.number())
                .bytes(packed(added.frame()));
    }

    /** A frame begins with its time, by which frames are looked for. */
    private static byte[] packed(StreamFrame frame) {
        var rest =
                new Packer()
                        .list(3)
                        .number(Codes.FRAME_MODES.of(frame.mode()))
                        .text(frame.type())
                        .packed(SubmissionRecord.write(frame.payload()))
                        .done();
        long time = frame.at().toEpochMilli();
        return ByteBuffer.allocate(TIME_BYTES + rest.length)
                .putShort((short) (time >> Integer.SIZE))
                .putInt((int) time)
                .put(rest)
                .array();
    }

    /**
     * Frames.
     *
     * @param stored of each its place and itself, one behind the other
     * @throws Item.Unreadable when one is damaged, or of a newer program
     */
    public static List<StreamFrame> read(Item stored) {
        return Item.decoded(
                () -> {
                    var parts = stored.list();
                    var frames = new ArrayList<StreamFrame>();
                    for (int n = 0; n < parts.size(); n += 2) {
                        frames.add(frame(parts.get(n).number(), parts.get(n + 1).bytes()));
                    }
                    return List.copyOf(frames);
                });
    }

    private static StreamFrame frame(long position, byte[] packed) {
        var in = ByteBuffer.wrap(packed);
        long time = ExecutionLayout.unsigned(in, TIME_BYTES);
        var rest = new byte[in.remaining()];
        in.get(rest);
        var told = Item.read(rest);
        return new StreamFrame(
                position,
                Codes.FRAME_MODES.word(told.at(0)),
                told.at(1).text(),
                SubmissionRecord.payload(told.at(2)),
                Instant.ofEpochMilli(time));
    }
}
