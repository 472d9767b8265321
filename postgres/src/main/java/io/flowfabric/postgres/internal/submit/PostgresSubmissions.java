package io.flowfabric.postgres.internal.submit;

import static io.flowfabric.postgres.internal.submit.SubmitStatement.number;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Lane;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.catalog.Catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.submit.SubmitStatement.Accepted;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

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
        var accepted = insert(items);
        remember(items, accepted);
        postgres.submitted(accepted.ready());
        accepted.answer(items, answers);
        SubmitRefusals.explain(postgres, postgres.db(), accepted.others(items), answers);
    }

    private Accepted insert(List<PreparedSubmission> items) {
        var known = items.stream().allMatch(item -> !item.keyed() && isKnown(item));
        if (!known) {
            return postgres.db().transaction(tx -> insertWhatIsNew(tx, items));
        }
        var lanes = new HashMap<Lane, Integer>();
        items.forEach(item -> lanes.computeIfAbsent(item.lane(), postgres::lane));
        if (lanes.size() == 1 && items.stream().allMatch(PreparedSubmission::plain)) {
            var lane = items.getFirst().lane();
            var accepted =
                    SubmitStatement.insertPlain(
                            postgres.db(), postgres.now(), items, lane, number(lanes, lane));
            if (accepted.isPresent()) {
                return accepted.get();
            }
        }
        return SubmitStatement.insert(postgres.db(), postgres.now(), items, lanes);
    }

    private boolean isKnown(PreparedSubmission item) {
        var lane = postgres.catalog().lane(item.lane());
        return lane != null
                && postgres.catalog().knows(new LaneGate(lane, item.gate()), item.reserved());
    }

    /**
     * The first submission to a lane registers it in the commit of its work; a refused one leaves
     * no lane behind.
     */
    private Accepted insertWhatIsNew(Jdbc tx, List<PreparedSubmission> items) {
        var wanted = items.stream().map(PreparedSubmission::lane).distinct().sorted().toList();
        var added = Set.copyOf(PostgresLanes.add(tx, postgres.now(), wanted));
        var lanes = PostgresLanes.numbers(tx, wanted);
        var gates = PreparedSubmission.gates(items, lanes);
        PostgresLanes.holdForGates(postgres, tx, gates);
        var accepted = SubmitStatement.insert(tx, postgres.now(), items, lanes);
        var used =
                items.stream()
                        .filter(accepted::holds)
                        .map(item -> number(lanes, item.lane()))
                        .collect(Collectors.toSet());
        if (!used.containsAll(added)) {
            tx.query("remove_unused_lanes")
                    .ints("ids", added, lane -> lane)
                    .ints("used", used, lane -> lane)
                    .update();
        }
        gates.keySet().removeIf(pair -> !used.contains(pair.lane()));
        PostgresLanes.addGates(postgres, tx, gates);
        SubmitStatement.giveKeysBack(tx, items, accepted);
        return accepted;
    }

    /** What was accepted is committed now, and so are its lane and the gates of its lane. */
    private void remember(List<PreparedSubmission> items, Accepted accepted) {
        var held = items.stream().filter(accepted::holds).toList();
        for (PreparedSubmission item : held) {
            postgres.catalog().remember(item.lane(), number(accepted.lanes(), item.lane()));
        }
        postgres.catalog().remember(PreparedSubmission.gates(held, accepted.lanes()));
    }
}
