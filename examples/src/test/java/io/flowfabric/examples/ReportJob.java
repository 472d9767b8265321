package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.WorkHandle;
import io.flowfabric.worker.Worker;

import java.time.Instant;

/** A job with data, fired once at a moment. */
final class ReportJob {
    record Report(String month, String currency) {}

    static final Kind<Report, String> REPORT =
            Kind.of("report", Report.class, String.class).lane("reports");

    static Worker start(FlowFabric fabric) {
        return fabric.worker("reports")
                .concurrency(10) // org.quartz.threadPool.threadCount
                .on(REPORT, (task, report) -> report.month() + " in " + report.currency())
                .start();
    }

    static WorkHandle<String> at(FlowFabric fabric, Instant moment, Report report) {
        return fabric.submit(
                REPORT.with(report)
                        .key("report-" + report.month()) // a JobKey: there is one
                        .priority(5)
                        .startAt(moment));
    }
}
