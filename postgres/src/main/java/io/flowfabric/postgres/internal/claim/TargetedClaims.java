package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.decision.ReclaimDecisions;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetChains;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.admission.PostgresQuotas;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.session.PostgresSessions;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Giving one execution that was named to a session: its row is locked before it is looked at. */
public final class TargetedClaims {
    private final PostgresContext postgres;

    public TargetedClaims(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** Leases it, because an operator says so. */
    public Lease claim(ExecutionId execution, SessionId session, Attribution by) {
        var worker = described(session);
        var lease = postgres.db().transaction(tx -> claim(tx, execution, worker, by));
        // Its input may be large, and is read when nothing is locked any more.
        return lease.read(postgres.db(), postgres.catalog(), session).leases().stream()
                .findFirst()
                .orElseThrow(() -> FactsReader.unreadable(execution));
    }

    private LeaseReader claim(Jdbc tx, ExecutionId execution, Session worker, Attribution by) {
        var session = worker.id();
        hold(tx, execution, session);
        var row = locked(tx, execution);
        var facts = row.facts().orElseThrow();
        if (!(facts.state() instanceof Running running && running.session().equals(session))) {
            OperatorDecisions.mustBeClaimable(facts, row.now(), lane(tx, row), worker);
            admit(tx, row, facts);
            take(tx, execution, session, by, null);
        }
        var reader = new LeaseReader();
        tx.query("lease")
                .set("id", execution.uuid())
                .set("part", execution.partition().number())
                .set("session", session.uuid())
                .each(reader::add);
        return reader;
    }

    /** Grants it, if it lost its lease; what is granted to this session stays as it is. */
    public GrantStub reclaim(ExecutionId execution, SessionId session, Duration ttl) {
        var worker = described(session);
        return postgres.db().transaction(tx -> reclaim(tx, execution, worker, ttl));
    }

    private GrantStub reclaim(Jdbc tx, ExecutionId execution, Session worker, Duration ttl) {
        var session = worker.id();
        hold(tx, execution, session);
        var row = locked(tx, execution);
        var facts = row.facts().orElseThrow();
        if (facts.state() instanceof Granted granted
                && granted.to().equals(session)
                && granted.until().isAfter(row.now())) {
            return new GrantStub(execution, row.lane(), row.epoch(), granted.until());
        }
        ReclaimDecisions.mustBeReclaimable(
                facts, row.now(), lane(tx, row), gives(tx, row.lane()), row.kind(), worker);
        admit(tx, row, facts);
        long epoch = take(tx, execution, session, null, ttl);
        return new GrantStub(execution, row.lane(), epoch, row.now().plus(ttl));
    }

    /**
     * Holds the lane of the execution, whose settings say what it counts against, and the session:
     * what is leased to a session that was just buried would never come back. Both before the row,
     * in the order in which all rows are locked.
     */
    private void hold(Jdbc tx, ExecutionId execution, SessionId session) {
        tx.query("hold_lane_of").set("id", execution.uuid()).optional(row -> row.intValue("id"));
        var held =
                tx.query("hold_session")
                        .set("now", postgres.now())
                        .set("id", session.uuid())
                        .optional(row -> row.uuid("id"));
        if (held.isEmpty()) {
            throw new NotFound("session", session.toString());
        }
    }

    private Locked locked(Jdbc tx, ExecutionId execution) {
        var locked = FactsReader.lock("facts", tx, postgres, List.of(execution.uuid()));
        return FactsReader.readable(execution, locked.get(execution.uuid()));
    }

    /**
     * What a session was opened with: it never changes, and is read before a transaction takes a
     * connection.
     */
    private Session described(SessionId session) {
        return PostgresSessions.find(postgres, session)
                .orElseThrow(() -> new NotFound("session", session.toString()))
                .session();
    }

    private Lane lane(Jdbc tx, Locked row) {
        return postgres.catalog().lanes().byNumber(tx, List.of(row.lane())).lane(row.lane());
    }

    private static boolean gives(Jdbc tx, int lane) {
        return tx.query("lane_gives").set("lane", lane).one(row -> row.bool("gives"));
    }

    /** Locks what it will count against, and refuses when there is no room. */
    private void admit(Jdbc tx, Locked row, Facts facts) {
        record Admission(LaneView lane, List<Integer> meters) {}
        var admission =
                tx.query("admission")
                        .set("id", row.id().uuid())
                        .one(a -> new Admission(PostgresLanes.view(a), List.of(a.ints("meters"))));
        var quotas = lockedQuotas(tx, admission.meters);
        OperatorDecisions.mustBeAdmitted(
                row.id(), shortage(tx, admission.lane, facts), quotas.stream());
    }

    private long take(
            Jdbc tx,
            ExecutionId execution,
            SessionId session,
            @Nullable Attribution by,
            @Nullable Duration ttl) {
        return tx.query("claim_one")
                .set("now", postgres.now())
                .set("id", execution.uuid())
                .set("session", session.uuid())
                .set("ttl", ttl == null ? null : (Long) ttl.toMillis())
                .set("actor", by == null ? null : by.actor())
                .set("reason", by == null ? null : by.reason())
                .one(claimed -> claimed.longValue("epoch"));
    }

    /** What its budgets, whose meters are locked by now, leave nothing for. */
    private Optional<String> shortage(Jdbc tx, LaneView lane, Facts facts) {
        var uses = lane.settings().drawsOn(facts.policy().budgets());
        return new BudgetChains(tx).shortage(lane.lane().namespace(), uses);
    }

    /** How the quotas of an execution stand, until the transaction is over. */
    private Collection<QuotaView> lockedQuotas(Jdbc tx, List<Integer> meters) {
        if (meters.isEmpty()) {
            return List.of();
        }
        tx.query("lock_meters").ints("ids", meters, meter -> meter).list(m -> m.intValue("id"));
        return PostgresQuotas.views(postgres, tx, meters).values();
    }
}
