package io.flowfabric.postgres;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.DatabaseIdentity;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.admission.Queues;
import io.flowfabric.postgres.internal.catalog.NumberRemoved;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Transaction;
import io.flowfabric.postgres.internal.ready.WakeupNotifier;
import io.flowfabric.postgres.internal.submit.PreparedSubmission;
import io.flowfabric.postgres.internal.submit.SubmissionBatches;
import io.flowfabric.postgres.internal.submit.SubmitRefusals;
import io.flowfabric.postgres.internal.submit.SubmitStatement;
import io.flowfabric.postgres.internal.submit.SubmitStatement.Accepted;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Submissions in a transaction of the caller, who commits it or rolls it back.
 *
 * <p>Whatever a call answers or throws, the transaction can go on, with its settings as they were:
 * duplicates are no errors to Postgres, and everything else is undone to a savepoint. Only a broken
 * connection, and a serialisation failure under SERIALIZABLE, leave nothing but to roll back.
 *
 * <p>Until the transaction ends, no other transaction sees its work or waits for it, except
 * submissions of the same id or the same key: they wait, no longer than the lock timeout of the
 * store, and then are told {@link Contended}. So a caller who holds a key must not submit it
 * elsewhere, too, before the commit.
 *
 * <p>Delays and deadlines count from the call, not from the commit. New lanes, gates and policies
 * are committed at once, and stay after a rollback.
 *
 * <p>What a transaction sees depends on its isolation. Under READ COMMITTED, duplicates get the
 * answers of {@link Submissions}. REPEATABLE READ and SERIALIZABLE transactions cannot see what was
 * committed after their snapshot: a duplicate of such a submission, and the first work of such a
 * lane, are {@link Contended}, and the caller rolls back and repeats the transaction. A commit that
 * fails is the caller's own {@link SQLException}, as always.
 */
public final class InTransaction implements Submissions {
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final PostgresContext postgres;
    private final DatabaseIdentity home;
    private final Connection connection;

    InTransaction(PostgresContext postgres, DatabaseIdentity home, Connection connection) {
        this.postgres = postgres;
        this.home = home;
        this.connection = connection;
    }

    /**
     * Accepts work, each item by itself; what is accepted is kept if the transaction is committed.
     *
     * @throws Invalid when the connection is closed, is in autocommit mode or leads to another
     *     database, or its transaction may not write or has failed already; each with a code of its
     *     own
     * @throws Contended when another open transaction holds an id or a key for too long, or this
     *     transaction cannot be serialised; nothing of the call is kept then
     */
    @Override
    public List<Answer<Submitted>> submit(List<Submission> submissions) {
        postgres.db().checkOpen();
        var tx = Transaction.of(connection, postgres.db().statements());
        checkTransaction();
        checkHome(tx);
        var items = PreparedSubmission.all(postgres, submissions);
        try {
            return tx.behindSavepoint(
                    postgres.db().options().lockTimeout(), () -> submit(tx, items));
        } catch (Contended e) {
            throw inOtherWords(e);
        } catch (StoreFailure e) {
            if (Failures.readOnly(e)) {
                throw refused(
                        Invalid.Code.TRANSACTION_READ_ONLY,
                        "its transaction may not write. Begin one that may, and connect to the"
                                + " primary if this is a standby.");
            }
            throw e;
        }
    }

    private void checkTransaction() {
        try {
            if (connection.isClosed()) {
                throw refused(
                        Invalid.Code.CONNECTION_CLOSED,
                        "it is closed, and whatever was not committed is undone. Take another one,"
                                + " and repeat the transaction.");
            }
            if (connection.getAutoCommit()) {
                throw refused(
                        Invalid.Code.AUTOCOMMIT,
                        "it commits every statement by itself. Call setAutoCommit(false), or begin"
                                + " a transaction in your framework, and submit inside of it.");
            }
        } catch (SQLException e) {
            throw Failures.of("submit", e, false);
        }
    }

    private void checkHome(Transaction tx) {
        boolean atHome;
        try {
            atHome = home.isAt(tx);
        } catch (StoreFailure e) {
            if (Failures.failedBefore(e)) {
                throw refused(
                        Invalid.Code.TRANSACTION_FAILED,
                        "a statement of its transaction has failed, so Postgres will not commit"
                                + " it. Roll it back, and submit in another one.");
            }
            throw e;
        } catch (Contended e) {
            throw inOtherWords(e);
        }
        if (!atHome) {
            throw refused(
                    Invalid.Code.OTHER_DATABASE,
                    "it leads to another database than %s, which is the store's: one transaction"
                                    .formatted(postgres.db().options().server())
                            + " cannot cover both.");
        }
    }

    private static Invalid refused(Invalid.Code code, String explanation) {
        return new Invalid(code, "connection", explanation);
    }

    /**
     * The queues that the items join. Lanes and gates that are new are registered.
     *
     * <p>That is a commit of its own, like that of policies: were it part of the caller's
     * transaction, every other submission to a new lane would wait until that ends, and a rollback
     * would undo what processes remember. A lane without work costs nothing.
     *
     * @throws NumberRemoved when a gate of an item is gone
     */
    private Queues queues(List<PreparedSubmission> items) {
        var lanes = new HashMap<Lane, Integer>();
        for (PreparedSubmission item : items) {
            var lane = postgres.catalog().lanes().number(item.lane());
            if (lane != null) {
                lanes.put(item.lane(), lane);
            }
        }
        var queues = PreparedSubmission.queues(postgres, items, lanes);
        return queues.areKnown() && items.stream().allMatch(item -> queues.hasLane(item.lane()))
                ? queues
                : register(items);
    }

    private Queues register(List<PreparedSubmission> items) {
        var queues =
                postgres.db()
                        .transaction(
                                tx -> {
                                    var all =
                                            PreparedSubmission.queues(
                                                    postgres, items, addLanes(tx, items));
                                    all.hold(tx);
                                    all.open(tx, all.numbers());
                                    return all;
                                });
        queues.remember(queues.numbers());
        return queues;
    }

    /** What will be refused leaves no lane behind. */
    private Map<Lane, Integer> addLanes(Jdbc tx, List<PreparedSubmission> items) {
        var wanted = items.stream().map(PreparedSubmission::lane).distinct().toList();
        var lanes = PostgresLanes.numbers(tx, wanted);
        var first = items.stream().filter(item -> !lanes.containsKey(item.lane())).toList();
        if (first.isEmpty()) {
            return lanes;
        }
        var begun = PreparedSubmission.creators(SubmitRefusals.free(tx, first));
        PostgresLanes.add(tx, postgres.now(), begun);
        return PostgresLanes.numbers(tx, wanted);
    }

    private List<Answer<Submitted>> submit(Transaction tx, List<PreparedSubmission> items) {
        var ready = new HashSet<Integer>();
        var answers =
                SubmissionBatches.answer(
                        items,
                        (piece, decided) -> ready.addAll(decide(tx, piece, decided)),
                        raced -> PreparedSubmission.again(postgres, raced),
                        InTransaction::unseen);
        announce(tx, ready);
        return answers;
    }

    /** Returns in which lanes there will be work. */
    private Set<Integer> decide(
            Transaction tx,
            List<PreparedSubmission> items,
            Map<Integer, Answer<Submitted>> answers) {
        try {
            var gated = items.stream().filter(PreparedSubmission::gated).toList();
            var queues = queues(gated);
            var placed = gated.stream().filter(item -> queues.hasLane(item.lane())).toList();
            var accepted = insert(tx, placed, queues);
            SubmitStatement.giveKeysBack(tx, placed, accepted);
            accepted.answer(placed, answers);
            SubmitRefusals.explain(postgres, tx, accepted.others(items), answers);
            return accepted.ready().keySet();
        } catch (NumberRemoved e) {
            // The items come again, with the numbers that are right then.
            return Set.of();
        }
    }

    /**
     * Inserts what is new. Rounds are drawn in a commit of their own: were they part of the
     * caller's transaction, every other submission with that share key would wait until it ends. A
     * rollback costs the key that turn.
     */
    private Accepted insert(Jdbc tx, List<PreparedSubmission> items, Queues queues) {
        var accepted = SubmitStatement.insertDrawn(tx, postgres.now(), items, queues, Map.of());
        var roundless =
                items.stream().filter(item -> accepted.roundless().contains(item.id())).toList();
        if (roundless.isEmpty()) {
            return accepted;
        }
        var rounds = SubmitStatement.draw(postgres.db(), roundless, queues);
        return accepted.and(
                SubmitStatement.insertDrawn(tx, postgres.now(), roundless, queues, rounds));
    }

    /**
     * Wakes waiters when the caller commits. Elsewhere no transaction notifies, because commits
     * that do wait for each other; here only Postgres knows when the work is there.
     */
    private void announce(Jdbc tx, Collection<Integer> lanes) {
        if (!lanes.isEmpty()) {
            var named = postgres.catalog().lanes().byNumber(postgres.db(), lanes);
            tx.query("announce")
                    .set("channel", WakeupNotifier.channel(postgres.db().statements().schema()))
                    .texts("messages", lanes, lane -> WakeupNotifier.messageToAll(named.lane(lane)))
                    .run();
        }
    }

    private static Contended unseen(PreparedSubmission item) {
        return new Contended(
                "%s, because of something that is newer than the snapshot of this transaction,"
                        .formatted(item.submission().id()),
                RETRY_AFTER);
    }

    private static Contended inOtherWords(Contended e) {
        var what =
                Failures.notSerializable(e)
                        ? "This transaction, which has to be rolled back and repeated as a whole,"
                        : "An id or a key that another open transaction has submitted";
        var contended = new Contended(what, e.retryAfter());
        contended.initCause(e.getCause());
        return contended;
    }
}
