package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.admission.Quota.Rate;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** When starts count and full rates open, which statements compute by themselves, is as in core. */
class CountedStartsTest {
    private static final List<Integer> RATES = List.of(1, 9_999, 10_000, 10_001, 1_000_000);
    private static final List<Long> WINDOWS =
            List.of(1L, 999L, 1_000L, 1_999L, 2_000L, 2_001L, 60_000L, 86_400_000L);

    private final PostgresFixture fixture = new PostgresFixture();
    private final SplittableRandom random = new SplittableRandom(20261116);

    @SuppressWarnings("NullAway.Init")
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = TestServer.get().connect();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        fixture.close();
    }

    @Test
    void a_start_counts_from_the_moment_that_core_says() throws SQLException {
        try (var query =
                connection.prepareStatement(
                        "select %s.slice_of(?, ?, ?)".formatted(fixture.schema().text()))) {
            for (int max : RATES) {
                for (long window : WINDOWS) {
                    var rate = new Rate(max, Duration.ofMillis(window));
                    for (int i = 0; i < 10; i++) {
                        long moment = random.nextLong(4_000_000_000_000L);
                        query.setLong(1, moment);
                        query.setInt(2, max);
                        query.setLong(3, window);
                        try (var rows = query.executeQuery()) {
                            assertThat(rows.next()).isTrue();
                            assertThat(rows.getLong(1))
                                    .as("%d under %s", moment, rate)
                                    .isEqualTo(
                                            rate.counted(Instant.ofEpochMilli(moment))
                                                    .toEpochMilli());
                        }
                    }
                }
            }
        }
    }

    @Test
    void a_full_rate_opens_at_the_moment_that_core_says() throws SQLException {
        long now = 2_000_000_000_000L;
        long window = 1_000;
        int full = 0;
        try (var query =
                connection.prepareStatement(
                        "select reopens_at from %s.count_starts(?, ?, ?, ?, ?, 0)"
                                .formatted(fixture.schema().text()))) {
            for (int i = 0; i < 300; i++) {
                var rate = new Rate(1 + random.nextInt(12), Duration.ofMillis(window));
                var starts = new TreeMap<Instant, Integer>();
                for (int n = random.nextInt(6); n > 0; n--) {
                    long at = now - random.nextLong(window);
                    starts.put(Instant.ofEpochMilli(at), 1 + random.nextInt(4));
                }
                query.setArray(1, array("bigint", millis(starts.keySet())));
                query.setArray(2, array("integer", starts.values()));
                query.setInt(3, rate.max());
                query.setLong(4, window);
                query.setLong(5, now);
                var opens = rate.opens(starts).map(Instant::toEpochMilli).orElse(null);
                try (var rows = query.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getObject(1, Long.class))
                            .as("%s under %s", starts, rate)
                            .isEqualTo(opens);
                }
                full += opens == null ? 0 : 1;
            }
        }
        assertThat(full).as("both happen").isBetween(50, 250);
    }

    private static List<Long> millis(Collection<Instant> moments) {
        return moments.stream().map(Instant::toEpochMilli).toList();
    }

    private java.sql.Array array(String type, Collection<? extends Number> values)
            throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }
}
