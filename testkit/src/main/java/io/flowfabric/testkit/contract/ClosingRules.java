package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** A store that was closed does nothing more, and says so. */
abstract class ClosingRules extends Rules {
    ClosingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void every_call_to_a_closed_store_is_refused() {
        var calls = everyCall(world.store());

        world.store().close();

        for (var call : calls) {
            assertThat(asked(call)).isUnavailable();
        }
    }

    @Test
    void closing_again_does_nothing() {
        world.store().close();

        world.store().close();

        assertThat(asked(() -> world.offer(work()))).isUnavailable();
    }

    private List<Supplier<?>> everyCall(Store store) {
        world.submit();
        var worker = world.worker();
        var lease = worker.claimOne();
        var id = idOf(lease);
        var session = worker.session().id();
        return List.of(
                () -> store.submissions().submit(List.of(work())),
                () -> store.sessions().open(worker.session()),
                () -> store.sessions().heartbeat(List.of(Heartbeat.of(session))),
                () -> closed(() -> store.sessions().close(session)),
                () -> store.claims().claim(new Claim(session, 2, 1)),
                () -> store.grants().claimForWorker(new Claim(session, 2, 1), Grants.DEFAULT_TTL),
                () -> store.grants().reclaimForWorker(id, session, Grants.DEFAULT_TTL),
                () -> store.grants().redeem(new Redemption(session, 2, List.of("token"))),
                () -> store.grants().verify(session, List.of("token")),
                () -> store.keys().first(),
                () -> store.keys().rotate(Rotation.after(Duration.ZERO), Scenario.OLGA),
                () -> store.keys().list(),
                () -> store.leases().progress(List.of(new Progress(lease.fence(), 1, ""))),
                () -> store.leases().end(List.of(complete(lease))),
                () ->
                        store.namespaces()
                                .configure(
                                        Namespace.DEFAULT,
                                        NamespaceSettings.DEFAULT,
                                        Scenario.OLGA),
                () -> store.namespaces().describe(Namespace.DEFAULT),
                () -> store.namespaces().list(Cursor.START, 1),
                () -> store.lanes().configure(Lane.DEFAULT, LaneSettings.DEFAULT, Scenario.OLGA),
                () -> store.quotas().define(Quota.atOnce("q", 1), Scenario.OLGA),
                () -> store.quotas().describe(Namespace.DEFAULT, QuotaUse.of("q")),
                () -> store.quotas().list(Namespace.DEFAULT, Cursor.START, 1),
                () -> store.quotas().recount(Namespace.DEFAULT),
                () -> closed(() -> store.quotas().delete(Namespace.DEFAULT, "q", Scenario.OLGA)),
                () -> store.budgets().define(Budget.of("b", "tokens", 1), Scenario.OLGA),
                () -> store.budgets().describe(Namespace.DEFAULT, "b"),
                () -> store.budgets().list(Namespace.DEFAULT, Cursor.START, 1),
                () -> store.budgets().reset(Namespace.DEFAULT, "b", Scenario.OLGA),
                () -> closed(() -> store.budgets().delete(Namespace.DEFAULT, "b", Scenario.OLGA)),
                () -> store.budgets().ledger(id),
                () -> store.budgets().refund(id, "b", "k", Scenario.OLGA),
                () ->
                        store.leases()
                                .spend(List.of(new UsageReport(lease.fence(), "b", "t", 1, "k"))),
                () -> store.lanes().describe(Lane.DEFAULT),
                () -> store.lanes().list(Namespace.DEFAULT, Cursor.START, 1),
                () -> store.workers().list(Namespace.DEFAULT, Scope.ALL, Cursor.START, 1),
                () -> store.workers().describe(session),
                () -> store.workers().markDead(session, Scenario.OLGA),
                () ->
                        store.operations()
                                .act(List.of(new OperatorCommand.Cancel(id)), Scenario.OLGA),
                () -> store.operations().claim(id, session, Scenario.OLGA),
                () -> store.operations().erase(List.of(id), Scenario.OLGA),
                () -> store.queries().describe(List.of(id)),
                () -> store.queries().inputs(List.of(id)),
                () -> store.queries().results(List.of(id)),
                () -> store.queries().history(id),
                () -> store.queries().search(Search.in(Namespace.DEFAULT), Cursor.START, 1),
                () -> store.queries().counts(Namespace.DEFAULT),
                () -> store.queries().explain(id),
                () -> store.queries().explain(Lane.DEFAULT),
                () -> store.feeds().read(FeedFilter.of(Topic.EVERYTHING), Cursor.NOW, 1),
                () -> store.feeds().beginning(),
                () -> store.maintenance().tick(Chore.TIMERS, 1),
                () -> store.maintenance().nextDue(),
                () -> store.wakeups().listen(lane -> {}),
                () -> store.wakeups().listenForLosses(loser -> {}));
    }

    private static boolean closed(Runnable call) {
        call.run();
        return true;
    }
}
