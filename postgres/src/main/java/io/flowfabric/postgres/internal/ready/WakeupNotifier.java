package io.flowfabric.postgres.internal.ready;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.postgres.internal.jdbc.Database;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

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

    /** In the place of a process that knows already; no process is called so. */
    private static final String NOBODY = "-";

    /** In the place of an order: the third word is a session that has lost work. */
    private static final String LOST = "LOST";

    private final Database db;
    private final LowWaterMarks marks;
    private final PostgresWakeups waking;
    private final String channel;
    private final String self = UUID.randomUUID().toString();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition rung = lock.newCondition();
    private final Condition done = lock.newCondition();
    private final Map<Lane, QueueOrder> pending = new HashMap<>();
    private final Set<SessionId> losers = new HashSet<>();
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
        return message(NOBODY, lane, QueueOrder.BROKEN);
    }

    public void start() {
        waking.announceTo(this::ring, this::ringForLoss);
        announcer = daemon("flowfabric-bell", () -> mended(this::announce));
        if (db.canListen()) {
            listener = daemon("flowfabric-listen", () -> mended(this::listen));
        }
    }

    /** Not a virtual thread: handlers that compute would keep it from running. */
    private static Thread daemon(String name, Runnable work) {
        return Thread.ofPlatform().daemon().name(name).start(work);
    }

    private void ring(Lane lane, QueueOrder order) {
        lock.lock();
        try {
            pending.merge(lane, order, QueueOrder::and);
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
            try (var connection = db.connect("wake-ups")) {
                loop.run(connection, () -> works(failures));
            } catch (InterruptedException stop) {
                return;
            } catch (SQLException | RuntimeException broken) {
                if (!closed) {
                    if (failures.getAndIncrement() == 0) {
                        log.warn(
                                "Wake-ups between processes are interrupted, waiters poll"
                                        + " meanwhile: {}",
                                broken.getMessage());
                    }
                    pause(MENDING_PAUSE);
                }
            }
        }
    }

    private static void works(AtomicInteger failures) {
        if (failures.get() > 0) {
            log.info(
                    "Wake-ups between processes work again, after {} tries.",
                    failures.getAndSet(0));
        }
    }

    private void announce(Connection connection, Runnable works)
            throws SQLException, InterruptedException {
        try (var notify = connection.prepareStatement("select pg_notify(?, ?)")) {
            while (!closed) {
                for (var message : next()) {
                    notify.setString(1, channel);
                    notify.setString(2, message);
                    notify.execute();
                    works.run();
                }
                pause(PAUSE);
            }
        }
    }

    private static String message(String sender, Lane lane, QueueOrder order) {
        return String.join(
                " ", sender, order.word(), encoded(lane.namespace().name()), encoded(lane.name()));
    }

    private List<String> next() throws InterruptedException {
        lock.lock();
        try {
            while (pending.isEmpty() && losers.isEmpty() && !closed) {
                rung.await();
            }
            var messages = new ArrayList<String>();
            pending.forEach((lane, order) -> messages.add(message(self, lane, order)));
            losers.forEach(loser -> messages.add(String.join(" ", self, LOST, loser.toString())));
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
        }
        works.run();
        var notifications = connection.unwrap(PGConnection.class);
        while (!closed) {
            var heard = notifications.getNotifications(LISTEN_MILLIS);
            if (heard != null) {
                for (var notification : heard) {
                    hear(notification.getParameter());
                }
            }
        }
    }

    private void hear(String message) {
        var words = message.split(" ", -1);
        if (words.length == 4 && !words[0].equals(self)) {
            QueueOrder.parse(words[1]).tell(marks);
            waking.heard(new Lane(new Namespace(decoded(words[2])), decoded(words[3])));
        } else if (words.length == 3 && words[1].equals(LOST) && !words[0].equals(self)) {
            waking.heardOfLoss(SessionId.parse(words[2]));
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
