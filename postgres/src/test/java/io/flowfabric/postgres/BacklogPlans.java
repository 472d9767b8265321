package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.lease.Session;

import org.junit.jupiter.api.extension.ExtendWith;

import java.time.Duration;
import java.util.List;

/**
 * How the server really runs the statements of the hot path: beside a backlog, with the plans that
 * were made when the tables were empty, as it explains them in its own log.
 *
 * <p>No step of a plan may touch many more rows than the call is about. That finds a scan or a sort
 * of the backlog, and two sets that are compared each with each. A test starts logging, calls the
 * store, and checks the plans of the statements that it expects.
 *
 * <p>All tests of plans share one backlog, because to submit it takes longer than they do. They run
 * in any order, so what a test leaves behind is small, or in a lane apart.
 */
@ExtendWith(Backlog.Shared.class)
abstract class BacklogPlans {
    static final int BATCH = Backlog.BATCH;

    /** How many gates of the default lane compare versions, once a test has put work there. */
    static final int COMPARING_GATES = 50;

    final Backlog backlog;
    final PostgresStore store;
    private int logged;

    BacklogPlans(Backlog backlog) {
        this.backlog = backlog;
        this.store = backlog.store();
    }

    /** A lane beside those of the backlog, which searches in their namespace do not come upon. */
    static Lane apart(String name) {
        return new Lane(new Namespace("apart"), name);
    }

    /** Opens a session for a lane, under the name of an instance that no other test uses. */
    Session open(String instance, Lane lane) {
        return open(Session.of("worker", instance, lane.name()).namespace(lane.namespace()));
    }

    Session open(Session session) {
        var patient = session.ttl(Duration.ofHours(1));
        store.sessions().open(patient);
        return patient;
    }

    /** Plans are those from here on. */
    void startLogging() {
        logged = backlog.log().length();
    }

    List<ExplainedPlan> plans(String statement) {
        return ExplainedPlan.of(statement, backlog.log().substring(logged));
    }

    /** Whether a statement was run, and touched no more than so many rows each time. */
    void check(String statement, int rows) {
        var plans = plans(statement);
        assertThat(plans).as("plans of %s", statement).isNotEmpty();
        for (var plan : plans) {
            // Twice as many, because an index may still know rows as they were before.
            assertThat(plan.mostRows()).as(plan.text()).isLessThanOrEqualTo(2 * rows);
            assertThat(plan.text())
                    .doesNotContainPattern(
                            "Seq Scan on"
                                + " (execution|ready|event|event_\\d+|timer|payload|inactive|tag)\\b");
        }
    }
}
