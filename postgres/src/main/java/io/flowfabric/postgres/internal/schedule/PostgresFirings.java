package io.flowfabric.postgres.internal.schedule;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.ScheduleChanges;
import io.flowfabric.core.schedule.Firing;
import io.flowfabric.core.schedule.Firing.DueWork;
import io.flowfabric.core.schedule.Firings;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.NumberRemoved;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.submit.InsertedWork;
import io.flowfabric.postgres.internal.submit.PreparedSubmission;
import io.flowfabric.postgres.internal.submit.SubmitRefusals;
import io.flowfabric.postgres.internal.submit.SubmitStatement;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How schedules are fired: the row of the schedule is locked, compared with what the engine had
 * read, and changed in the transaction that submits the work.
 */
public final class PostgresFirings implements Firings {
    private static final Logger log = LoggerFactory.getLogger(PostgresFirings.class);
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    /** How often the numbers of gates may be removed while work is on its way to them. */
    private static final int TRIES = 5;

    private final PostgresContext postgres;

    public PostgresFirings(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public DueSchedules due(int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var due = new ArrayList<ScheduleView>();
        var moments = new ArrayList<Instant>();
        var next = new ArrayList<Duration>();
        int[] told = {0};
        postgres.db()
                .query("due_schedules")
                .set("now", postgres.now())
                .set("max", max + 1)
                .each(
                        row -> {
                            long now = row.longValue("now");
                            moments.add(Instant.ofEpochMilli(now));
                            var at = row.longOrNull("due");
                            if (at != null && at > now && next.isEmpty()) {
                                next.add(Duration.ofMillis(at - now));
                            } else if (at != null && at <= now && told[0]++ < max) {
                                try {
                                    due.add(ScheduleTable.read(row).view());
                                } catch (StoreFailure unreadable) {
                                    log.warn("A schedule is passed over", unreadable);
                                }
                            }
                        });
        return new DueSchedules(moments.getFirst(), due, next.stream().findFirst());
    }

    @Override
    public List<Answer<ScheduleView>> fire(List<Firing> firings) {
        Limit.BATCH.checkCount("firings", firings.size());
        postgres.db().checkOpen();
        var answers = new ArrayList<Answer<ScheduleView>>(firings.size());
        for (Firing firing : firings) {
            try {
                answers.add(Answer.done(fire(firing)));
            } catch (FlowFabricException refusal) {
                answers.add(Answer.refused(refusal));
            }
        }
        return answers;
    }

    /** What a transaction came to. */
    private record FiredWork(ScheduleView view, Optional<InsertedWork> inserted) {}

    private ScheduleView fire(Firing firing) {
        var submissions = firing.work().stream().map(DueWork::submission).toList();
        for (int tried = 1; ; tried++) {
            var items = PreparedSubmission.all(postgres, submissions);
            try {
                var fired = postgres.db().transaction(tx -> fire(tx, firing, items));
                fired.inserted.ifPresent(work -> announce(work, items));
                return fired.view;
            } catch (NumberRemoved e) {
                // The items come again, with the numbers that are right then.
                if (tried == TRIES) {
                    throw contended(firing);
                }
            }
        }
    }

    private FiredWork fire(Jdbc tx, Firing firing, List<PreparedSubmission> items) {
        var before =
                ScheduleTable.find(tx, "lock_schedule", firing.namespace(), firing.schedule())
                        .orElseThrow(() -> PostgresSchedules.unknown(firing.schedule()))
                        .view();
        var now = Instant.ofEpochMilli(postgres.time(tx));
        ScheduleChanges.mustFit(before, firing, now);
        var answers = new HashMap<Integer, Answer<Submitted>>();
        var inserted = insert(tx, items, answers);
        var after = ScheduleChanges.fired(before, firing, inOrder(firing, answers), now);
        ScheduleTable.setStanding(tx, after);
        return new FiredWork(after, inserted);
    }

    private Optional<InsertedWork> insert(
            Jdbc tx, List<PreparedSubmission> items, Map<Integer, Answer<Submitted>> answers) {
        var gated = items.stream().filter(PreparedSubmission::gated).toList();
        var refused = new ArrayList<>(items);
        Optional<InsertedWork> inserted = Optional.empty();
        if (!gated.isEmpty()) {
            var work = InsertedWork.insert(postgres, tx, gated, SubmitStatement::insert);
            work.accepted().answer(gated, answers);
            refused.removeIf(item -> answers.containsKey(item.index()));
            inserted = Optional.of(work);
        }
        SubmitRefusals.explain(postgres, tx, refused, answers);
        return inserted;
    }

    /** What raced with another call, or failed in passing, is fired again as a whole. */
    private static List<Answer<Submitted>> inOrder(
            Firing firing, Map<Integer, Answer<Submitted>> answers) {
        var all = new ArrayList<Answer<Submitted>>();
        for (int n = 0; n < firing.work().size(); n++) {
            var answer = answers.get(n);
            if (answer == null) {
                throw contended(firing);
            }
            if (ScheduleChanges.isPassing(answer)) {
                answer.orThrow();
            }
            all.add(answer);
        }
        return all;
    }

    private static Contended contended(Firing firing) {
        return new Contended("The schedule " + firing.schedule(), RETRY_AFTER);
    }

    private void announce(InsertedWork work, List<PreparedSubmission> items) {
        work.remember();
        postgres.submitted(work.accepted().ready(), work.accepted().ids());
        for (PreparedSubmission item : items) {
            var deadline = RowCodec.at(item.submission().policy().deadline());
            if (deadline != null) {
                postgres.timers().set(deadline);
            }
        }
    }
}
