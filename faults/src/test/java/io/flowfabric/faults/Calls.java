package io.flowfabric.faults;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Duty;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Every call of the contract, ready to be made: there is a session, an execution that it holds and
 * one that is ready, so that a healthy store would do what it is asked.
 */
final class Calls {
    private static final Attribution ADA = new Attribution("ada", "because");

    private final Session session = Session.of("mailer", "here", FaultScenario.LANE.name());
    private final ExecutionId ready;
    private final Fence held;

    private Calls(Store store) {
        var submissions = FaultScenario.work(2);
        store.submissions().submit(submissions).forEach(answer -> answer.orThrow());
        store.sessions().open(session);
        held = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst().fence();
        ready =
                submissions.stream()
                        .map(submission -> submission.id())
                        .filter(id -> !id.equals(held.execution()))
                        .findFirst()
                        .orElseThrow();
    }

    /** Makes what the calls are about. */
    static Calls on(Store healthy) {
        return new Calls(healthy);
    }

    /** Those that have something to write. */
    Map<String, Consumer<Store>> writes() {
        var calls = new LinkedHashMap<String, Consumer<Store>>();
        var end = new Ending.Complete(held, Payload.text("done"));
        calls.put("submit", store -> store.submissions().submit(FaultScenario.work(1)));
        calls.put("open", store -> store.sessions().open(Session.of("other", "there", "emails")));
        calls.put(
                "heartbeat",
                store -> store.sessions().heartbeat(List.of(Heartbeat.of(session.id()))));
        calls.put("claim", store -> store.claims().claim(new Claim(session.id(), 2, 1)));
        calls.put(
                "progress",
                store -> store.leases().progress(List.of(new Progress(held, 50, "half"))));
        calls.put("end", store -> store.leases().end(List.of(end)));
        calls.put(
                "configure",
                store -> store.lanes().configure(Lane.of("other"), LaneSettings.DEFAULT, ADA));
        calls.put(
                "act",
                store -> store.operations().act(List.of(new OperatorCommand.Cancel(ready)), ADA));
        calls.put("claim one", store -> store.operations().claim(ready, session.id(), ADA));
        calls.put("close", store -> store.sessions().close(session.id()));
        return calls;
    }

    /** Those that write when something is due. */
    Map<String, Consumer<Store>> chores() {
        var calls = new LinkedHashMap<String, Consumer<Store>>();
        for (var chore : Chore.values()) {
            calls.put("tick " + chore, store -> store.maintenance().tick(chore, 10));
        }
        for (var duty : Duty.values()) {
            calls.put(
                    "take turn " + duty,
                    store -> store.maintenance().takeTurn(duty, Duration.ofMinutes(1)));
        }
        return calls;
    }

    Map<String, Consumer<Store>> reads() {
        var calls = new LinkedHashMap<String, Consumer<Store>>();
        var all = Search.in(Namespace.DEFAULT);
        var everything = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
        calls.put("describe", store -> store.queries().describe(List.of(ready)));
        calls.put("inputs", store -> store.queries().inputs(List.of(ready)));
        calls.put("results", store -> store.queries().results(List.of(ready)));
        calls.put("history", store -> store.queries().history(ready));
        calls.put("search", store -> store.queries().search(all, Cursor.START, 10));
        calls.put("counts", store -> store.queries().counts(Namespace.DEFAULT));
        calls.put("lane", store -> store.lanes().describe(FaultScenario.LANE));
        calls.put("lanes", store -> store.lanes().list(Namespace.DEFAULT, Cursor.START, 10));
        calls.put("beginning", store -> store.feeds().beginning());
        calls.put("read", store -> store.feeds().read(everything, store.feeds().beginning(), 10));
        calls.put("next due", store -> store.maintenance().nextDue(Duration.ofSeconds(1)));
        return calls;
    }
}
