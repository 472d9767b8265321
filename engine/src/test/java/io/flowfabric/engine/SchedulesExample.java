package io.flowfabric.engine;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.schedule.CatchUp;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.store.Backend;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;

/** The code that docs/schedules.md shows; {@link SchedulesPageTest} compares, and runs it. */
final class SchedulesExample {
    private final Backend engine;

    SchedulesExample(Backend engine) {
        this.engine = engine;
    }

    // [PAGE
    void define() {
        var report = Submission.of("report", Payload.text("sales")).lane("reports");
        var tidy = Submission.of("tidy", Payload.EMPTY);
        var schedules =
                List.of(
                        Schedule.cron("nightly", "0 3 * * 1-5", ZoneId.of("Europe/Berlin"), report),
                        Schedule.every("tidy", Duration.ofMinutes(15), tidy)
                                .jitter(Duration.ofMinutes(1))
                                .catchUp(CatchUp.SKIP));
        for (var answer : engine.schedules().define(schedules, new Attribution("shop", "start"))) {
            answer.orThrow();
        }
    }

    // PAGE]

    // [PAGE
    String lookAt(String name) {
        var view = engine.schedules().describe(Namespace.DEFAULT, name);
        var last = view.fired().map(fired -> "last " + fired.execution()).orElse("never fired");
        var next = view.next().map(at -> "next " + at).orElse("nothing to come");
        return last + ", " + next + view.refused().map(it -> ", refused: " + it.why()).orElse("");
    }

    void holdBack(String name) {
        var ada = new Attribution("ada", "the printer is broken");
        engine.schedules().pause(Namespace.DEFAULT, name, ada);
    }
    // PAGE]
}
