package io.flowfabric.postgres.internal.submit;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Lane;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.NumberRemoved;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.submit.SubmitStatement.Accepted;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How work comes in: one statement for as many submissions as fit, in one commit. */
public final class PostgresSubmissions implements Submissions {
    private final PostgresContext postgres;

    public PostgresSubmissions(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public List<Answer<Submitted>> submit(List<Submission> submissions) {
        return SubmissionBatches.answer(
                PreparedSubmission.all(postgres, submissions),
                this::decide,
                raced -> PreparedSubmission.again(postgres, raced),
                item -> new Contended(item.submission().id().toString(), Duration.ofMillis(100)));
    }

    private void decide(List<PreparedSubmission> all, Map<Integer, Answer<Submitted>> answers) {
        var items = all.stream().filter(PreparedSubmission::gated).toList();
        SubmitRefusals.explain(
                postgres,
                postgres.db(),
                all.stream().filter(item -> !item.gated()).toList(),
                answers);
        if (items.isEmpty()) {
            return;
        }
        var accepted = insertUnlessRemoved(items);
        postgres.submitted(accepted.ready(), accepted.ids());
        items.forEach(this::timed);
        accepted.answer(items, answers);
        SubmitRefusals.explain(postgres, postgres.db(), accepted.others(items), answers);
    }

    /** A deadline may be a time that has passed: then it is due before what was already done. */
    private void timed(PreparedSubmission item) {
        var deadline = RowCodec.at(item.submission().policy().deadline());
        if (deadline != null) {
            postgres.timers().set(deadline);
        }
    }

    private Accepted insertUnlessRemoved(List<PreparedSubmission> items) {
        try {
            return insert(items);
        } catch (NumberRemoved e) {
            // The items come again, with the numbers that are right then.
            return Accepted.NOTHING;
        }
    }

    private Accepted insert(List<PreparedSubmission> items) {
        var lanes = new HashMap<Lane, Integer>();
        for (PreparedSubmission item : items) {
            var number = postgres.catalog().lanes().number(item.lane());
            if (number == null) {
                return insertWhatIsNew(items);
            }
            lanes.put(item.lane(), number);
        }
        var queues = PreparedSubmission.queues(postgres, items, lanes);
        if (!queues.areKnown() || items.stream().anyMatch(PreparedSubmission::keyed)) {
            return insertWhatIsNew(items);
        }
        if (lanes.size() == 1 && items.stream().allMatch(PreparedSubmission::plain)) {
            var accepted =
                    SubmitStatement.insertPlain(postgres.db(), postgres.now(), items, queues);
            if (accepted.isPresent()) {
                return accepted.get();
            }
        }
        return SubmitStatement.insert(postgres.db(), postgres.now(), items, queues);
    }

    private Accepted insertWhatIsNew(List<PreparedSubmission> items) {
        var inserted =
                postgres.db()
                        .transaction(
                                tx ->
                                        InsertedWork.insert(
                                                postgres, tx, items, SubmitStatement::insert));
        inserted.remember();
        return inserted.accepted();
    }
}
