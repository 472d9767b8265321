package io.flowfabric.postgres;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.DatabaseIdentity;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.admission.Queues;
import io.flowfabric.postgres.internal.catalog.NumberRemoved;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Transaction;
import io.flowfabric.postgres.internal.lease.StepWriter;
import io.flowfabric.postgres.internal.ready.WakeupNotifier;
import io.flowfabric.postgres.internal.submit.FreedKeys;
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
 * Submissions and steps in a transaction of the caller, who commits it or rolls it back.
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
    private final CallerTransaction caller;

    InTransaction(PostgresContext postgres, DatabaseIdentity home, Connection connection) {
        this.postgres = postgres;
        this.caller = new CallerTransaction(postgres.db(), home, connection);
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
        var tx = caller.checked();
        var items = PreparedSubmission.all(postgres, submissions);
        return caller.write(
                tx,
                "An id or a key that another open transaction has submitted",
                () -> submit(tx, items));
    }

    /**
     * Records a step of an execution in the transaction: it is there when the transaction commits,
     * together with everything else that was done in it, and never was when it rolls back.
     *
     * <p>The lease is looked at under the lock of its execution, which is held until the
     * transaction ends: until then the lease cannot be lost, and a cancel or an end of the
     * execution waits, no longer than the lock timeout of the store. So record the step last, and
     * commit at once.
     *
     * @return the step; the one that was recorded before under that name, with the same content
     * @throws io.flowfabric.core.LeaseLost when the fence does not hold any more: roll back
     * @throws io.flowfabric.core.Conflict when other content was recorded under that name
     * @throws Invalid as {@link #submit(List)} does, and when there are too many steps
     * @throws Contended when another transaction holds the execution for too long
     */
    public Step checkpoint(Checkpoint checkpoint) {
        var tx = caller.checked();
        return caller.write(
                tx, held(checkpoint.fence()), () -> StepWriter.write(postgres, tx, checkpoint));
    }

    /** How an execution is called that another transaction has locked. */
    static String held(Fence fence) {
        return "%s, which another transaction holds,".formatted(fence.execution());
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
            var freed = FreedKeys.of(tx, placed);
            var accepted = insert(tx, placed, queues);
            SubmitStatement.giveKeysBack(tx, placed, accepted);
            freed.giveBackUnused(tx, placed, accepted);
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
}
