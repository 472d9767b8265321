package io.flowfabric.postgres.internal.ready;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.ready.PostgresWakeups.News;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Wake-ups between processes.
 *
 * <p>Work that became ready here is announced from a connection of its own, at most every few
 * milliseconds, never inside the transaction that made it ready: commits that notify wait for each
 * other. Another connection listens. Both are mended when they break; meanwhile waiters poll, as
 * they do where the database does not let anyone listen.
 */
public final class WakeupNotifier implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WakeupNotifier.class);
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration MENDING_PAUSE = Duration.ofSeconds(1);
    private static final int LISTEN_MILLIS = 500;

    /** After so long without a word the listener asks whether the server is still there. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    /** How long an answer may take: the server may be gone without having closed anything. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** In the place of a process that knows already; no process is called so. */
    private static final String NOBODY = "-";

    /** In the place of news of a lane: the third word is a session that has lost work. */
    private static final String LOST = "LOST";

    /** In the place of news of a lane: the third word are executions whose streams went on. */
    private static final String STREAMED = "STREAMED";

    /** How many executions one message names: the server takes no long ones. */
    private static final int NAMED_AT_ONCE = 100;

    private final Database db;
    private final LowWaterMarks marks;
    private final PostgresWakeups waking;
    private final String channel;
    private final String self = UUID.randomUUID().toString();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition rung = lock.newCondition();
    private final Condition done = lock.newCondition();
    private final Map<Lane, News> pending = new HashMap<>();
    private final Set<SessionId> losers = new HashSet<>();
    private final Set<UUID> streamed = new HashSet<>();

    /** What the announcer has to say; what it could not say it says on the next connection. */
    private final Queue<String> unsaid = new ArrayDeque<>();

    private volatile boolean closed;
    private @Nullable Thread announcer;
    private @Nullable Thread listener;

    public WakeupNotifier(Database db, LowWaterMarks marks, PostgresWakeups waking) {
        this.db = db;
        this.marks = marks;
        this.waking = waking;
        this.channel = channel(db.statements().schema());
    }

    /** Where wake-ups are announced. */
    public static String channel(SchemaName schema) {
        return schema.text() + "_ready";
    }

    /**
     * What to announce from inside of somebody's transaction: every process will hear it, this one
     * too, once that commits. By then claims may have passed the place of the work.
     */
    public static String messageToAll(Lane lane) {
        return message(NOBODY, lane, News.WORK_AND_PLACES);
    }

    public void start() {
        waking.announceTo(this::ring, this::ringForLoss, this::ringForStream);
        announcer = daemon("flowfabric-bell", () -> mended(this::announce));
        if (db.canListen()) {
            listener = daemon("flowfabric-listen", () -> mended(this::listen));
        }
    }

    /** Not a virtual thread: handlers that compute would keep it from running. */
    private static Thread daemon(String name, Runnable work) {
        return Thread.ofPlatform().daemon().name(name).start(work);
    }

    private void ring(Lane lane, News news) {
        lock.lock();
        try {
            pending.merge(lane, news, News::and);
            rung.signal();
        } finally {
            lock.unlock();
        }
    }

    private void ringForLoss(SessionId session) {
        lock.lock();
        try {
            losers.add(session);
            rung.signal();
        } finally {
            lock.unlock();
        }
    }

    private void ringForStream(UUID execution) {
        lock.lock();
        try {
            streamed.add(execution);
            rung.signal();
        } finally {
            lock.unlock();
        }
    }

    private interface Loop {
        /**
         * @param works called when the connection has done what it is for
         */
        void run(Connection connection, Runnable works) throws SQLException, InterruptedException;
    }

    private void mended(Loop loop) {
        // One warning for an outage, and one line when it is over.
        var failures = new AtomicInteger();
        while (!closed) {
            try (var loan = db.connect("wake-ups")) {
                var connection = loan.connection();
                connection.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
                loop.run(connection, () -> works(failures));
            } catch (InterruptedException stop) {
                return;
            } catch (SQLException | RuntimeException | Error broken) {
                // Nobody would begin anew in the place of this thread.
                if (!closed) {
                    if (failures.getAndIncrement() == 0) {
                        tell(
                                () ->
                                        log.warn(
                                                "Wake-ups between processes are interrupted,"
                                                        + " waiters poll meanwhile: {}",
                                                broken.toString()));
                    }
                    pause(MENDING_PAUSE);
                }
            }
        }
    }

    private static void works(AtomicInteger failures) {
        int tries = failures.getAndSet(0);
        if (tries > 0) {
            tell(() -> log.info("Wake-ups between processes work again, after {} tries.", tries));
        }
    }

    /** A logger that throws must not end the thread that uses it. */
    private static void tell(Runnable line) {
        try {
            line.run();
        } catch (RuntimeException | Error unheard) {
            // There is nothing left to tell it to.
        }
    }

    private void announce(Connection connection, Runnable works)
            throws SQLException, InterruptedException {
        try (var notify = connection.prepareStatement("select pg_notify(?, ?)")) {
            while (!closed) {
                if (unsaid.isEmpty()) {
                    unsaid.addAll(next());
                }
                for (var message = unsaid.peek(); message != null; message = unsaid.peek()) {
                    notify.setString(1, channel);
                    notify.setString(2, message);
                    notify.execute();
                    unsaid.remove();
                    works.run();
                }
                pause(PAUSE);
            }
        }
    }

    private static String message(String sender, Lane lane, News news) {
        return String.join(
                " ", sender, news.name(), encoded(lane.namespace().name()), encoded(lane.name()));
    }

    private List<String> next() throws InterruptedException {
        lock.lock();
        try {
            while (pending.isEmpty() && losers.isEmpty() && streamed.isEmpty() && !closed) {
                rung.await();
            }
            var messages = new ArrayList<String>();
            pending.forEach((lane, news) -> messages.add(message(self, lane, news)));
            losers.forEach(loser -> messages.add(String.join(" ", self, LOST, loser.toString())));
            for (var some : Chunks.of(List.copyOf(streamed), NAMED_AT_ONCE, one -> 0)) {
                var named = some.stream().map(UUID::toString).collect(Collectors.joining(","));
                messages.add(String.join(" ", self, STREAMED, named));
            }
            streamed.clear();
            pending.clear();
            losers.clear();
            return messages;
        } finally {
            lock.unlock();
        }
    }

    private void listen(Connection connection, Runnable works) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("listen \"" + channel + "\"");
            works.run();
            var notifications = connection.unwrap(PGConnection.class);
            long spoke = System.nanoTime();
            while (!closed) {
                var heard = notifications.getNotifications(LISTEN_MILLIS);
                if (heard != null && heard.length > 0) {
                    for (var notification : heard) {
                        hear(notification.getParameter());
                    }
                    spoke = System.nanoTime();
                } else if (System.nanoTime() - spoke > SILENCE.toNanos()) {
                    statement.execute("select");
                    spoke = System.nanoTime();
                }
            }
        }
    }

    private void hear(String message) {
        var words = message.split(" ", -1);
        if (words.length == 4 && !words[0].equals(self)) {
            if (!words[1].equals(News.WORK.name())) {
                marks.forgetAll();
            }
            if (!words[1].equals(News.PLACES.name())) {
                waking.heard(new Lane(new Namespace(decoded(words[2])), decoded(words[3])));
            }
        } else if (words.length == 3 && words[1].equals(LOST) && !words[0].equals(self)) {
            waking.heardOfLoss(SessionId.parse(words[2]));
        } else if (words.length == 3 && words[1].equals(STREAMED) && !words[0].equals(self)) {
            for (var id : words[2].split(",", -1)) {
                waking.heardOfStream(UUID.fromString(id));
            }
        }
    }

    private static String encoded(String name) {
        return Base64.getUrlEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String name) {
        return new String(Base64.getUrlDecoder().decode(name), StandardCharsets.UTF_8);
    }

    /** Waits, unless it is closed meanwhile. */
    private void pause(Duration duration) {
        lock.lock();
        try {
            long nanos = duration.toNanos();
            while (!closed && nanos > 0) {
                nanos = done.awaitNanos(nanos);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            rung.signalAll();
            done.signalAll();
        } finally {
            lock.unlock();
        }
        join(announcer);
        join(listener);
    }

    private static void join(@Nullable Thread thread) {
        if (thread != null) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(5));
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
