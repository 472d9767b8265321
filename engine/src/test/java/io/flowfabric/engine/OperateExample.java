package io.flowfabric.engine;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.query.TimeRange;
import io.flowfabric.core.store.Backend;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The code that docs/operate.md shows; {@link OperatePageTest} compares, and runs it. */
final class OperateExample {
    /** Where an operator looks. */
    interface Screen {
        void show(String line);
    }

    private final Backend engine;
    private final Screen screen;

    OperateExample(Backend engine, Screen screen) {
        this.engine = engine;
        this.screen = screen;
    }

    // [PAGE
    static final Namespace SHOP = new Namespace("shop");

    List<ExecutionView> failuresSince(Instant moment) {
        var search =
                Search.in(SHOP)
                        .lane("billing")
                        .states(PublicState.FAILED)
                        .tag("country", "dk")
                        .submitted(TimeRange.since(moment))
                        .newestFirst();
        var found = new ArrayList<ExecutionView>();
        var after = Cursor.START;
        do {
            var page = engine.queries().search(search, after, 100);
            found.addAll(page.items()); // may be few, or none, on any page
            after = page.next();
        } while (!after.equals(Cursor.END)); // only this says whether there is more
        return found;
    }

    // PAGE]

    // [PAGE
    void closeForTheNight(Lane lane) {
        var settings = engine.lanes().describe(lane).settings();
        engine.lanes()
                .configure(
                        lane,
                        settings.state(LaneSettings.State.DRAINING),
                        new Attribution("ada", "the bank is closed until six"));
        engine.queries()
                .counts(lane.namespace())
                .forEach((one, states) -> screen.show(one.name() + " " + states));
    }

    // PAGE]

    // [PAGE
    void takeTurns(Lane lane) {
        var settings = engine.lanes().describe(lane).settings();
        var ada = new Attribution("ada", "one shop has sent a million");
        engine.lanes().configure(lane, settings.sharing(true), ada);
    }

    Submission charge(String shop, String order) {
        var policy = Policy.DEFAULT.share(shop);
        return Submission.of("charge", Payload.text(order)).policy(policy);
    }

    // PAGE]

    // [PAGE
    void cancel(ExecutionId order) {
        var ada = new Attribution("ada", "the customer has called");
        var state =
                engine.operations().act(List.of(new OperatorCommand.Cancel(order)), ada).getFirst();
        screen.show(state.orThrow().publicState().wire()); // or throws why not
    }

    // PAGE]

    // [PAGE
    void replayWhatTheOutageBroke(Instant from, Instant to) throws InterruptedException {
        var broken =
                Search.in(SHOP)
                        .kind("charge")
                        .states(PublicState.FAILED)
                        .changed(TimeRange.between(from, to));
        var replay =
                new Bulk(
                        engine,
                        OperatorCommand.Replay::new,
                        new Attribution("ada", "the bank is back"));
        screen.show("would replay " + replay.count(broken));
        var end = replay.run(broken, far -> screen.show("replayed " + far.done()));
        screen.show("done %d, passed over %d".formatted(end.done(), end.refused()));
    }

    // PAGE]

    // [PAGE
    void buryOneThatIsGone(String instance) {
        var after = Cursor.START;
        do {
            var page = engine.workers().list(SHOP, Scope.ALIVE, after, 100);
            for (var worker : page.items()) {
                if (worker.session().instance().equals(instance)) {
                    engine.workers()
                            .markDead(
                                    worker.session().id(),
                                    new Attribution("ada", "its machine burnt"));
                }
            }
            after = page.next();
        } while (!after.equals(Cursor.END));
    }

    // PAGE]

    // [PAGE
    void keepForAMonth() {
        var settings = engine.namespaces().describe(SHOP).settings();
        engine.namespaces()
                .configure(
                        SHOP,
                        settings.retention(Duration.ofDays(30)),
                        new Attribution("ada", "the auditors want to see it"));
    }

    void forget(ExecutionId order) {
        var ada = new Attribution("ada", "a request to be forgotten, number 17");
        engine.operations().erase(List.of(order), ada).getFirst().orThrow();
    }
    // PAGE]
}
