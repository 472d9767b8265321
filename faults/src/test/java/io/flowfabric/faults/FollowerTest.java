package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Follower;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** What those who follow a feed see of a database that breaks: nothing but a wait. */
class FollowerTest {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);
    private static final String NAME = "following";
    private static final int CUTS = 60;
    private static final int KILLS = 3;
    private static final int UNDONE = 2000;

    @TempDir Path home;

    private final SchemaName schema = Servers.freshSchema();

    @Test
    void connections_that_are_cut_again_and_again_cost_no_event() throws Exception {
        var options = Servers.options(Servers.shared());
        try (var store = PostgresStore.open(options, schema);
                var other = PostgresStore.open(options.withApplicationName(NAME), schema);
                var following = new Following(other.feeds());
                var knife = Servers.connect(options);
                var cut = knife.prepareStatement(cutting())) {
            var ids = new ArrayList<ExecutionId>();
            var cuts = new AtomicLong();
            Waiting.until(
                    "enough are cut",
                    () -> {
                        ids.addAll(submit(store, 5));
                        return cuts.addAndGet(number(cut)) >= CUTS && following.hasReconnected();
                    });

            Waiting.until("everything is told", () -> following.told.size() >= ids.size());
            assertThat(following.end()).isEqualTo(ids);
        }
    }

    @Test
    void a_server_that_is_killed_and_comes_back_costs_no_event() throws Exception {
        try (var server = new CrashingServer(home);
                var store = PostgresStore.open(server.options(), schema);
                var following = new Following(store.feeds())) {
            var ids = new ArrayList<ExecutionId>();
            for (int i = 0; i < KILLS; i++) {
                ids.addAll(submitPatiently(store, 50));
                server.kill();
                Waiting.until("it is noticed", following::isReconnecting);
                server.restart();
            }
            ids.addAll(submitPatiently(store, 50));

            Waiting.until("everything is told", () -> following.told.size() >= ids.size());
            assertThat(following.end()).isEqualTo(ids);
        }
    }

    @Test
    void a_cursor_from_just_before_a_crash_misses_nothing_of_what_comes_after() throws Exception {
        try (var server = new CrashingServer(home);
                var store = PostgresStore.open(server.options(), schema)) {
            submit(store, 1);
            Servers.execute(server.options(), "alter system set wal_writer_delay = '10s'");
            Servers.execute(server.options(), "select pg_reload_conf()");
            // Transactions that nobody writes to disk for now, since nothing came of them.
            Servers.execute(
                    server.options(),
                    "do $$ begin for i in 1..%d loop perform pg_current_xact_id(); rollback; end loop; end $$"
                            .formatted(UNDONE));
            var cursor = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
            long before = newestTransaction(server.options());
            server.kill();
            server.restart();
            // Their numbers are given out again: else there would be nothing to show.
            assertThat(newestTransaction(server.options())).isLessThan(before - UNDONE / 2);

            var ids = submitPatiently(store, 20);

            try (var follower = Follower.of(store.feeds(), EVERYTHING, cursor)) {
                var told = new ArrayList<ExecutionId>();
                for (int i = 0; i < ids.size(); i++) {
                    told.add(idOf(follower.next(Duration.ofSeconds(30)).orElseThrow()));
                }
                assertThat(told).isEqualTo(ids);
            }
        }
    }

    /** A reader that follows from now on until the end, and how it fared. */
    private static final class Following implements AutoCloseable {
        private final ConcurrentLinkedQueue<ExecutionId> told = new ConcurrentLinkedQueue<>();
        private final Set<Follower.State> seen = EnumSet.noneOf(Follower.State.class);
        private final Follower follower;
        private final Thread thread;

        Following(Feeds feeds) {
            follower = Follower.of(feeds, EVERYTHING, Cursor.NOW);
            thread = Thread.ofVirtual().start(this::follow);
        }

        private void follow() {
            try {
                while (follower.running()) {
                    follower.next(Duration.ofMillis(100)).ifPresent(entry -> told.add(idOf(entry)));
                }
            } catch (InterruptedException e) {
                // Then it is over.
            }
        }

        boolean isReconnecting() {
            return follower.status().state() == Follower.State.RECONNECTING;
        }

        boolean hasReconnected() {
            seen.add(follower.status().state());
            return seen.contains(Follower.State.RECONNECTING);
        }

        List<ExecutionId> end() throws InterruptedException {
            follower.stop();
            thread.join();
            return List.copyOf(told);
        }

        @Override
        public void close() {
            follower.stop();
        }
    }

    private static List<ExecutionId> submit(PostgresStore store, int count) {
        return accepted(store, work(count));
    }

    /** Repeats the same submission until it is answered: that is the same one then. */
    private static List<ExecutionId> submitPatiently(PostgresStore store, int count) {
        var ids = new ArrayList<ExecutionId>();
        for (int i = 0; i < count; i++) {
            var work = work(1);
            Waiting.until(
                    "it is accepted",
                    () -> {
                        try {
                            return ids.addAll(accepted(store, work));
                        } catch (FlowFabricException e) {
                            return false;
                        }
                    });
        }
        return ids;
    }

    private static List<Submission> work(int count) {
        return Stream.generate(() -> Submission.of("work", Payload.EMPTY)).limit(count).toList();
    }

    private static List<ExecutionId> accepted(PostgresStore store, List<Submission> work) {
        return store.submissions().submit(work).stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    private static ExecutionId idOf(Feeds.Entry entry) {
        return ((Event.Step) entry.event()).execution();
    }

    private static String cutting() {
        return "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity"
                + " where application_name = '%s'".formatted(NAME);
    }

    private static long number(PreparedStatement query) {
        try {
            return Servers.number(query);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long newestTransaction(DatabaseOptions options) {
        return Servers.number(
                options, "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
    }
}
