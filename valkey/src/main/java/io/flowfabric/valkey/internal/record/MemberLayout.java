package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * How members of flows are stored. The first bytes are read by functions: how it ended, as the
 * number of that situation or 0, what came of the edges into it, or 0, and the id of its execution.
 */
public final class MemberLayout {
    private static final int HEAD = 2 + 2 * Long.BYTES;
    private static final List<Decided> DECIDED =
            List.of(Decided.PENDING, Decided.SATISFIED, Decided.IMPOSSIBLE);

    private MemberLayout() {}

    public static byte[] write(MemberRecord member) {
        var out = new Packer().list(10);
        out.text(member.name())
                .number(member.execution().partition().number())
                .optional(member.join().quorum(), (o, k) -> o.number(k))
                .truth(member.join().remaining() == Join.Remaining.CANCEL)
                .truth(member.growing())
                .number(member.edges())
                .number(member.met())
                .number(member.missed())
                .optional(member.readyAt(), Packer::moment)
                .optional(member.endedAt(), Packer::moment);
        var rest = out.done();
        return ByteBuffer.allocate(HEAD + rest.length)
                .put((byte) (int) member.outcome().map(MemberLayout::code).orElse(0))
                .put((byte) DECIDED.indexOf(member.decided()))
                .putLong(member.execution().uuid().getMostSignificantBits())
                .putLong(member.execution().uuid().getLeastSignificantBits())
                .put(rest)
                .array();
    }

    /**
     * Reads a member.
     *
     * @throws Item.Unreadable when it is damaged, or of a newer program
     */
    public static MemberRecord read(int number, Item stored) {
        return Item.decoded(() -> read(number, ByteBuffer.wrap(stored.bytes())));
    }

    private static MemberRecord read(int number, ByteBuffer in) {
        int ended = in.get();
        var decided = DECIDED.get(in.get());
        var uuid = new UUID(in.getLong(), in.getLong());
        var rest = new byte[in.remaining()];
        in.get(rest);
        var told = Item.read(rest);
        return new MemberRecord(
                number,
                told.at(0).text(),
                new ExecutionId(new Partition(told.at(1).small()), uuid),
                new Join(
                        told.at(2).optional(Item::small),
                        told.at(3).truth() ? Join.Remaining.CANCEL : Join.Remaining.LET_RUN),
                told.at(4).truth(),
                told.at(5).small(),
                told.at(6).small(),
                told.at(7).small(),
                decided,
                told.at(8).optional(Item::moment),
                ended == 0 ? Optional.empty() : Optional.of(outcome(ended)),
                told.at(9).optional(Item::moment));
    }

    private static int code(Outcome outcome) {
        return Codes.SITUATIONS.of(outcome.situation());
    }

    /** How something ended, by the number of that situation. */
    public static Outcome outcome(int code) {
        return Stream.of(Outcome.values())
                .filter(one -> code(one) == code)
                .findFirst()
                .orElseThrow(() -> Item.unreadable("nothing ends as " + code));
    }
}
