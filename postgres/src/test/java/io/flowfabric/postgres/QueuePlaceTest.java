package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.decision.QueuePlace;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.state.LeasePurpose;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;

/** The place of work in its lane, which statements compute by themselves, is the one of core. */
class QueuePlaceTest {
    private static final List<LaneSettings> LANES =
            List.of(
                    LaneSettings.DEFAULT,
                    LaneSettings.DEFAULT.sharing(true),
                    LaneSettings.DEFAULT.ageing(Duration.ofMillis(1)),
                    LaneSettings.DEFAULT.ageing(Duration.ofDays(1)));

    private final PostgresFixture fixture = new PostgresFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void the_function_of_the_schema_says_what_core_says() throws SQLException {
        var server = TestServer.get();
        var random = new SplittableRandom(20260301);
        try (var connection =
                        DriverManager.getConnection(
                                server.url(), server.user(), server.password());
                var query =
                        connection.prepareStatement(
                                "select %s.place_of(?, ?, ?, ?)"
                                        .formatted(fixture.schema().text()))) {
            for (int i = 0; i < 400; i++) {
                var lane = LANES.get(i % LANES.size());
                int priority = random.nextInt(9001);
                long submitted = random.nextLong(4_000_000_000_000L);
                query.setInt(1, priority);
                query.setLong(2, submitted);
                query.setObject(
                        3, lane.ageing().map(Duration::toMillis).orElse(null), Types.BIGINT);
                query.setBoolean(4, lane.sharing());
                try (var rows = query.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    var place =
                            QueuePlace.of(
                                    lane,
                                    priority,
                                    Instant.ofEpochMilli(submitted),
                                    LeasePurpose.RETRY,
                                    0,
                                    0);
                    assertThat(rows.getLong(1)).isEqualTo(place.rank());
                }
            }
        }
    }
}
