package io.flowfabric.valkey.internal;

import io.flowfabric.valkey.internal.record.ExecutionLayout;
import io.flowfabric.valkey.internal.wire.Item;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Pieces of plain work that a claim gave, which {@code claim.lua} tells of many at a time. */
final class PlainPieces {
    /** Id, partition, attempts, epoch, purpose, retries. */
    private static final int PIECE_BYTES = 33;

    private static final int UUID_BYTES = 16;
    private static final int INPUT = 11;
    private static final int UPSTREAMS = 13;
    private static final Item ABSENT = new Item.Truth(false);

    private PlainPieces() {}

    /** All pieces that a claim gave, each told of as one by itself is: the plain ones first. */
    static List<Item> before(Item plain, List<Item> others) {
        if (plain.isAbsent()) {
            return others;
        }
        var lane = plain.at(0);
        var since = plain.at(1);
        var in = ByteBuffer.wrap(plain.at(2).bytes());
        var submitted = plain.at(3).list();
        var pieces = new ArrayList<List<Item>>(submitted.size());
        for (int n = 0; in.remaining() >= PIECE_BYTES; n++) {
            var piece = new ArrayList<Item>(UPSTREAMS + 1);
            var id = new byte[UUID_BYTES];
            in.get(id);
            piece.add(new Item.Bytes(id));
            piece.add(new Item.Whole(in.getShort()));
            piece.add(new Item.Whole(in.getInt()));
            piece.add(new Item.Whole(ExecutionLayout.unsigned(in, 6)));
            piece.add(new Item.Whole(in.get()));
            piece.add(new Item.Whole(in.getInt()));
            piece.add(ABSENT);
            piece.add(since);
            piece.add(ABSENT);
            piece.add(lane);
            piece.add(submitted.get(n));
            piece.add(ABSENT);
            // Plain work has no recorded steps.
            piece.add(ABSENT);
            piece.add(ABSENT);
            pieces.add(piece);
        }
        put(plain.at(4), INPUT, pieces);
        put(plain.at(5), UPSTREAMS, pieces);
        var all = new ArrayList<Item>(pieces.size() + others.size());
        pieces.forEach(piece -> all.add(new Item.Items(piece)));
        all.addAll(others);
        return all;
    }

    /** Gives pieces what only some have, each of which stands behind the number of its piece. */
    private static void put(Item told, int place, List<List<Item>> pieces) {
        var some = told.list();
        for (int n = 0; n + 1 < some.size(); n += 2) {
            pieces.get(some.get(n).small() - 1).set(place, some.get(n + 1));
        }
    }
}
