package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.postgres.internal.feed.FeedPosition;
import io.flowfabric.postgres.internal.feed.Snapshot;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;

class FeedPositionTest {
    private final Random random = new Random(7);

    @Test
    void what_a_cursor_says_is_what_was_put_in() {
        for (int i = 0; i < 1000; i++) {
            var place = place();

            assertThat(FeedPosition.of(place.cursor())).isEqualTo(place);
        }
    }

    @Test
    void a_thousand_open_transactions_fit_into_a_cursor() {
        var open = LongStream.range(0, 1000).mapToObj(i -> 4_000_000_000L + 3 * i).toList();
        var snapshot = new Snapshot(open.getFirst(), open.getLast() + 1, open);
        var place =
                new FeedPosition(
                        1L << 55,
                        Optional.of(snapshot),
                        Long.MAX_VALUE,
                        Optional.of(
                                new FeedPosition.Portion(snapshot, Long.MAX_VALUE, Long.MAX_VALUE)),
                        Long.MAX_VALUE);

        assertThat(FeedPosition.of(place.cursor())).isEqualTo(place);
    }

    @Test
    void what_was_cut_or_extended_is_malformed() {
        for (int i = 0; i < 100; i++) {
            var bytes = place().cursor().position(Cursor.Purpose.FEED);
            for (int length = 0; length < bytes.length; length++) {
                assertMalformed(Arrays.copyOf(bytes, length));
            }
            assertMalformed(Arrays.copyOf(bytes, bytes.length + 1));
        }
    }

    @Test
    void whatever_can_be_read_Postgres_can_read_too() throws Exception {
        int readable = 0;
        try (var connection = TestPostgres.connect();
                var select = connection.prepareStatement("select ?::text::pg_snapshot::text")) {
            while (readable < 300) {
                var bytes = damaged(place().cursor().position(Cursor.Purpose.FEED));
                Optional<Snapshot> seen;
                try {
                    seen = FeedPosition.of(Cursor.at(Cursor.Purpose.FEED, bytes)).seen();
                } catch (Invalid refused) {
                    assertThat(refused.code()).isEqualTo(Invalid.Code.MALFORMED_CURSOR);
                    continue;
                }
                if (seen.isPresent()) {
                    readable++;
                    select.setString(1, seen.get().toString());
                    try (var results = select.executeQuery()) {
                        results.next();
                        assertThat(results.getString(1)).isEqualTo(seen.get().toString());
                    }
                }
            }
        }
    }

    @Test
    void a_snapshot_is_cut_down_to_what_it_knows_up_to_a_transaction() {
        var snapshot = Snapshot.of("100:200:100,120,150");

        assertThat(snapshot.upTo(300)).isEqualTo(snapshot);
        assertThat(snapshot.upTo(199)).isEqualTo(snapshot);
        assertThat(snapshot.upTo(150)).hasToString("100:151:100,120,150");
        assertThat(snapshot.upTo(149)).hasToString("100:150:100,120");
        assertThat(snapshot.upTo(99)).hasToString("100:100:");
        assertThat(snapshot.upTo(50)).hasToString("51:51:");
    }

    /** With other bytes in a few places. Bytes at random would hardly ever be readable. */
    private byte[] damaged(byte[] position) {
        var bytes = position.clone();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    private FeedPosition place() {
        return new FeedPosition(
                random.nextLong(1L << 56),
                random.nextInt(4) == 0 ? Optional.empty() : Optional.of(snapshot()),
                random.nextLong(Long.MAX_VALUE),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(
                                new FeedPosition.Portion(
                                        snapshot(),
                                        random.nextLong(Long.MAX_VALUE),
                                        random.nextLong(Long.MAX_VALUE))),
                random.nextLong(Long.MAX_VALUE));
    }

    private Snapshot snapshot() {
        long xmin = 3 + random.nextLong(1L << (2 + random.nextInt(60)));
        long xmax = xmin + random.nextInt(10_000);
        var open = new TreeSet<Long>();
        while (xmax > xmin + 20 && open.size() < 10) {
            open.add(random.nextLong(xmin, xmax));
        }
        return new Snapshot(xmin, xmax, List.copyOf(open));
    }

    private static void assertMalformed(byte[] position) {
        assertThatExceptionOfType(Invalid.class)
                .isThrownBy(() -> FeedPosition.of(Cursor.at(Cursor.Purpose.FEED, position)))
                .matches(refusal -> refusal.code() == Invalid.Code.MALFORMED_CURSOR);
    }
}
