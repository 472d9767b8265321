package io.flowfabric.testkit.history;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.testkit.history.Acknowledgement.ActDone;
import io.flowfabric.testkit.history.Acknowledgement.LeaseEnded;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;
import io.flowfabric.testkit.history.Acknowledgement.ProgressKept;
import io.flowfabric.testkit.history.Acknowledgement.StepKept;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;

import java.time.Instant;

/** The history of one execution as lines to read. */
final class Chronicle {
    private Chronicle() {}

    static String of(ExecutionRecord dossier) {
        var lines = new StringBuilder("  what the feed says:\n");
        dossier.steps().forEach(step -> lines.append("    ").append(line(step)).append('\n'));
        if (dossier.steps().isEmpty()) {
            lines.append("    nothing\n");
        }
        if (!dossier.acknowledged().isEmpty()) {
            lines.append("  what clients were told:\n");
            dossier.acknowledged()
                    .forEach(told -> lines.append("    ").append(line(told)).append('\n'));
        }
        lines.append("  what is there at the end: ");
        lines.append(dossier.view().map(Chronicle::line).orElse("nothing"));
        dossier.result().ifPresent(result -> lines.append(", ").append(result));
        return lines.toString();
    }

    /** One step, with the time first. */
    static String line(Step step) {
        return "%s  %-12s -> %-16s attempts %d, epoch %d%s%s%s%s"
                .formatted(
                        time(step.at()),
                        step.transition(),
                        step.now(),
                        step.attempts(),
                        step.epoch(),
                        step.owner().map(Chronicle::lease).orElse(""),
                        step.by().map(Chronicle::by).orElse(""),
                        step.until().map(until -> ", until " + time(until)).orElse(""),
                        step.failure().map(Chronicle::failure).orElse(""));
    }

    private static String line(Acknowledgement told) {
        var span = told.span();
        var when =
                "%s (between moments %d and %d)  "
                        .formatted(
                                time(span.ended().at()), span.began().tick(), span.ended().tick());
        return when
                + switch (told) {
                    case WorkAccepted work -> "accepted as %s".formatted(work.execution());
                    case LeaseGiven given ->
                            "lease of epoch %d, attempt %d, given to session %s"
                                    .formatted(
                                            given.lease().fence().epoch(),
                                            given.lease().fence().attempt(),
                                            given.lease().session());
                    case ProgressKept kept ->
                            "progress of %d%% kept under epoch %d"
                                    .formatted(
                                            kept.report().percent(), kept.report().fence().epoch());
                    case StepKept kept ->
                            "step %s of attempt %d kept under epoch %d"
                                    .formatted(
                                            kept.step().name(),
                                            kept.step().attempt(),
                                            kept.checkpoint().fence().epoch());
                    case LeaseEnded ended ->
                            "lease of epoch %d, attempt %d, ended by %s: %s"
                                    .formatted(
                                            ended.ending().fence().epoch(),
                                            ended.ending().fence().attempt(),
                                            ended.ending().getClass().getSimpleName(),
                                            ended.answer().transition());
                    case ActDone done ->
                            "an operator's %s".formatted(done.act().getClass().getSimpleName());
                };
    }

    private static String line(ExecutionView view) {
        return "%s, attempts %d, epoch %d, %d retries, %d reclaims, %d replays%s"
                .formatted(
                        view.state(),
                        view.attempts(),
                        view.epoch(),
                        view.retries(),
                        view.reclaims(),
                        view.replays(),
                        view.owner().map(Chronicle::lease).orElse(""));
    }

    private static String lease(Owner owner) {
        return ", lease of %s (session %s)".formatted(owner.worker(), owner.session());
    }

    private static String by(Attribution by) {
        return ", by %s: %s".formatted(by.actor(), by.reason());
    }

    private static String failure(Failure failure) {
        return ", %s: %s".formatted(failure.category(), failure.message());
    }

    private static String time(Instant at) {
        return at.toString();
    }
}
