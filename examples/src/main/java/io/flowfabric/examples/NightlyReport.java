package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.submit.Submission;

import java.io.PrintStream;
import java.time.ZoneId;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A report every night at three; and, because nights are long, one every second. */
final class NightlyReport {
    private static final Attribution ADA = new Attribution("ada", "the board wants to know");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static final Kind<String, Void> REPORT =
            Kind.of("nightly-report", String.class).lane("nightly");

    private NightlyReport() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        var schedules = fabric.engine().schedules();
        var printed = new LinkedBlockingQueue<String>();
        var worker =
                fabric.worker("printer")
                        .run(REPORT, (task, what) -> printed.add(what + " " + task.execution()))
                        .start();

        var nightly = Schedule.cron("nightly", "0 3 * * *", BERLIN, report(fabric, "sales"));
        schedules.define(nightly, ADA);
        out.println("a report is to be printed every night at three, in Berlin");

        var often = Schedule.cron("often", "* * * * * *", report(fabric, "visitors"));
        schedules.define(often, ADA);
        out.println("another one is printed every second");
        var first = next(printed);
        out.println(first);
        var second = next(printed);
        out.println(second);
        claim(out, !first.equals(second), "two occurrences are two pieces of work");

        var found = schedules.describe(fabric.namespace(), "nightly").next().orElseThrow();
        var night = found.atZone(BERLIN);
        claim(out, night.getHour() == 3, "the next nightly one is due at " + night);

        var before = schedules.define(often, ADA);
        claim(
                out,
                schedules.define(often, ADA).changed().equals(before.changed()),
                "a program that defines it again changes nothing");

        schedules.pause(fabric.namespace(), "often", ADA);
        out.println("it is paused");
        var view = schedules.describe(fabric.namespace(), "often");
        claim(out, view.next().isEmpty(), "nothing is to come while it is paused");
        var last = view.fired().orElseThrow().execution();
        claim(
                out,
                fabric.work(last, Void.class).describe().creator().contains("often"),
                last + " says which schedule it is of");
        schedules.delete(fabric.namespace(), "often", ADA);
        schedules.delete(fabric.namespace(), "nightly", ADA);
        worker.stop();
    }

    private static Submission report(FlowFabric fabric, String what) {
        return Submission.of(REPORT.name(), Payload.text(what))
                .lane(new Lane(fabric.namespace(), REPORT.lane()));
    }

    private static String next(LinkedBlockingQueue<String> printed) throws InterruptedException {
        return Objects.requireNonNull(printed.poll(1, TimeUnit.MINUTES), "a report in a minute");
    }
}
