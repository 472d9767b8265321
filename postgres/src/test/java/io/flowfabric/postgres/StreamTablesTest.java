package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What streams leave in the tables, and what other processes hear of them. */
class StreamTablesTest {
    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store = PostgresStore.open(TestPostgres.options(), schema);
    private final Session session =
            Session.of("worker", "instance", "default").ttl(Duration.ofHours(1));
    private int claims;

    @BeforeEach
    void open() {
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void readers_of_another_process_are_told_of_frames_and_of_the_end() throws Exception {
        try (var other = PostgresStore.open(TestPostgres.options(), schema)) {
            BlockingQueue<UUID> heard = new LinkedBlockingQueue<>();
            try (var listening = other.wakeups().listenForStreams(heard::add)) {
                assertThat(listening).isNotNull();
                var lease = leased();
                var id = lease.fence().execution();
                // The other one may not listen yet.
                long position = 0;
                do {
                    say(lease, position++);
                } while (heard.poll(100, TimeUnit.MILLISECONDS) == null && position < 300);
                assertThat(position).isLessThan(300);
                heard.clear();

                store.leases().end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)));

                assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo(id.uuid());
                assertThat(other.streams().tail(id, 0, position, 1).last()).isTrue();
            }
        }
    }

    @Test
    void what_is_forgotten_leaves_no_frames() throws Exception {
        said(3);
        assertThat(rows("frame")).isEqualTo(5);
        assertThat(rows("stream")).isEqualTo(1);

        store.maintenance().tick(Chore.RETENTION, 100);

        assertThat(rows("execution")).isZero();
        assertThat(rows("frame")).isZero();
        assertThat(rows("stream")).isZero();
    }

    @Test
    void long_streams_are_forgotten_few_at_a_time() throws Exception {
        said(1);
        said(1);
        said(1);
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute("update %s.stream set frames = 60000".formatted(schema));
        }

        var first = store.maintenance().tick(Chore.RETENTION, 100);
        assertThat(first.processed()).isEqualTo(2);
        assertThat(first.more()).isTrue();
        assertThat(rows("stream")).isEqualTo(1);

        var second = store.maintenance().tick(Chore.RETENTION, 100);
        assertThat(second.processed()).isEqualTo(1);
        assertThat(second.more()).isFalse();
        assertThat(rows("frame")).isZero();
    }

    /** Work that has ended, with so many durable frames, and two that are not. */
    private void said(int frames) {
        var lease = leased();
        for (int n = 0; n < frames; n++) {
            say(lease, n);
        }
        var fence = lease.fence();
        store.leases()
                .append(
                        List.of(
                                Append.live(fence, frames, "l", Payload.EMPTY),
                                Append.summary(fence, frames + 1, "s", "{}")))
                .forEach(answer -> answer.orThrow());
        store.leases().end(List.of(new Ending.Complete(fence, Payload.EMPTY)));
    }

    private Lease leased() {
        store.submit(
                Submission.of("job", Payload.EMPTY)
                        .policy(Policy.DEFAULT.retention(Duration.ZERO)));
        return store.claims().claim(new Claim(session.id(), ++claims, 1)).leases().getFirst();
    }

    private void say(Lease lease, long position) {
        store.leases()
                .append(List.of(Append.durable(lease.fence(), position, "said", Payload.EMPTY)))
                .getFirst()
                .orThrow();
    }

    private long rows(String table) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var result =
                        statement.executeQuery(
                                "select count(*) from %s.%s".formatted(schema, table))) {
            result.next();
            return result.getLong(1);
        }
    }
}
