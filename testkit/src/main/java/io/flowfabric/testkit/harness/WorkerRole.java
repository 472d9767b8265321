package io.flowfabric.testkit.harness;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.stream.Append;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.harness.Operation.Hold;
import io.flowfabric.testkit.harness.Operation.Manner;
import io.flowfabric.testkit.harness.Operation.Note;
import io.flowfabric.testkit.harness.Operation.Parting;
import io.flowfabric.testkit.harness.Operation.Recording;
import io.flowfabric.testkit.harness.Operation.Saying;
import io.flowfabric.testkit.harness.Operation.Usage;
import io.flowfabric.testkit.history.Acknowledgement.LeaseEnded;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;
import io.flowfabric.testkit.history.Acknowledgement.ProgressKept;
import io.flowfabric.testkit.history.Acknowledgement.StepKept;

import java.util.List;
import java.util.Optional;

/** Workers: getting work and writing about it. */
final class WorkerRole extends Role {
    private final Repeats repeats;

    WorkerRole(Stage stage, Participants cast) {
        super(stage, cast);
        this.repeats = new Repeats(stage.exclusive());
    }

    // Getting work.

    void claim(Operation.Claim operation) {
        var worker = cast.worker(operation.worker());
        claim(
                worker,
                new Claims.Claim(worker.sessionId(), worker.nextClaim(), operation.max()),
                operation.hearing());
    }

    void claimAgain(Operation.ClaimAgain operation) {
        var worker = cast.worker(operation.worker());
        var number = worker.earlierClaim(operation.back());
        var claim = new Claims.Claim(worker.sessionId(), number, operation.max());
        claim(worker, claim.again(), Hearing.HEARD);
    }

    private void claim(HarnessWorker worker, Claims.Claim claim, Hearing hearing) {
        worker.sent(() -> claim(worker, claim.again(), Hearing.HEARD));
        hear(hearing, () -> claimed(worker, claim), repeats::claim)
                .ifPresent(
                        heard -> {
                            worker.learn(claim.number(), heard.answer());
                            for (Lease lease : heard.answer()) {
                                cast.acknowledgements().note(new LeaseGiven(heard.span(), lease));
                            }
                        });
    }

    private Reply<List<Lease>> claimed(HarnessWorker worker, Claims.Claim claim) {
        var reply = stage.claim(claim);
        if (reply instanceof Reply.Refusal<List<Lease>>(NotFound gone)) {
            worker.toldDead();
        }
        return reply;
    }

    // Writing about it.

    void report(Operation.Report operation) {
        var reports = operation.notes().stream().flatMap(note -> progress(note).stream()).toList();
        if (!reports.isEmpty()) {
            var sender = cast.worker(operation.notes().getFirst().hold().worker());
            report(sender, reports, operation.hearing());
        }
    }

    private Optional<Progress> progress(Note note) {
        return presented(note.hold())
                .map(fence -> new Progress(fence, note.percent(), note.percent() + " percent"));
    }

    private void report(HarnessWorker sender, List<Progress> reports, Hearing hearing) {
        sender.sent(() -> report(sender, reports, Hearing.HEARD));
        hear(
                        hearing,
                        () -> stage.call("progress", reports, s -> s.leases().progress(reports)),
                        repeats::end)
                .ifPresent(
                        heard ->
                                eachDone(
                                        reports,
                                        heard.answer(),
                                        (report, fence) ->
                                                cast.acknowledgements()
                                                        .note(
                                                                new ProgressKept(
                                                                        heard.span(), report))));
    }

    void checkpoint(Operation.Checkpoints operation) {
        var checkpoints =
                operation.recordings().stream().flatMap(one -> checkpoint(one).stream()).toList();
        if (!checkpoints.isEmpty()) {
            var sender = cast.worker(operation.recordings().getFirst().hold().worker());
            checkpoint(sender, checkpoints, operation.hearing());
        }
    }

    private Optional<Checkpoint> checkpoint(Recording recording) {
        return presented(recording.hold())
                .map(
                        fence ->
                                new Checkpoint(
                                        fence,
                                        recording.name(),
                                        Payload.text(recording.content())));
    }

    private void checkpoint(HarnessWorker sender, List<Checkpoint> checkpoints, Hearing hearing) {
        sender.sent(() -> checkpoint(sender, checkpoints, Hearing.HEARD));
        hear(
                        hearing,
                        () ->
                                stage.call(
                                        "checkpoint",
                                        checkpoints,
                                        s -> s.leases().checkpoint(checkpoints)),
                        repeats::checkpoint)
                .ifPresent(
                        heard ->
                                eachDone(
                                        checkpoints,
                                        heard.answer(),
                                        (checkpoint, step) ->
                                                cast.acknowledgements()
                                                        .note(
                                                                new StepKept(
                                                                        heard.span(),
                                                                        checkpoint,
                                                                        step))));
    }

    void open(Operation.OpenWaitpoint operation) {
        presented(operation.hold())
                .map(
                        fence ->
                                new OpenWaitpoint(
                                        fence, operation.waitpoint(), operation.expiresAfter()))
                .ifPresent(
                        asked ->
                                stage.call(
                                        "open waitpoint",
                                        asked,
                                        store -> store.leases().open(List.of(asked))));
    }

    void append(Operation.Appends operation) {
        var appends = operation.sayings().stream().flatMap(one -> append(one).stream()).toList();
        if (!appends.isEmpty()) {
            var sender = cast.worker(operation.sayings().getFirst().hold().worker());
            append(sender, appends, operation.hearing());
        }
    }

    private Optional<Append> append(Saying saying) {
        return presented(saying.hold())
                .map(
                        fence ->
                                new Append(
                                        fence,
                                        saying.position(),
                                        saying.mode(),
                                        "said",
                                        Payload.text(saying.content())));
    }

    private void append(HarnessWorker sender, List<Append> appends, Hearing hearing) {
        sender.sent(() -> append(sender, appends, Hearing.HEARD));
        var unused =
                hear(
                        hearing,
                        () -> stage.call("append", appends, s -> s.leases().append(appends)),
                        repeats::append);
    }

    void spend(Operation.Spend operation) {
        var reports = operation.usages().stream().flatMap(usage -> usage(usage).stream()).toList();
        if (!reports.isEmpty()) {
            stage.call("spend", reports, store -> store.leases().spend(reports));
        }
    }

    private Optional<UsageReport> usage(Usage usage) {
        return presented(usage.hold())
                .map(
                        fence ->
                                new UsageReport(
                                        fence,
                                        usage.budget(),
                                        Vocabulary.TOKENS,
                                        usage.amount(),
                                        "spending-" + usage.key()));
    }

    void end(Operation.End operation) {
        var endings =
                operation.partings().stream().flatMap(parting -> ending(parting).stream()).toList();
        if (!endings.isEmpty()) {
            var sender = cast.worker(operation.partings().getFirst().hold().worker());
            end(sender, endings, operation.hearing());
        }
    }

    void end(HarnessWorker sender, List<Ending> endings, Hearing hearing) {
        sender.sent(() -> end(sender, endings, Hearing.HEARD));
        hear(
                        hearing,
                        () -> stage.call("end", endings, store -> store.leases().end(endings)),
                        repeats::end)
                .ifPresent(
                        heard -> {
                            // Done or refused, there is nothing left to hold.
                            endings.forEach(ending -> dropped(ending.fence()));
                            eachDone(
                                    endings,
                                    heard.answer(),
                                    (ending, answer) ->
                                            cast.acknowledgements()
                                                    .note(
                                                            new LeaseEnded(
                                                                    heard.span(), ending, answer)));
                        });
    }

    private void dropped(Fence fence) {
        cast.workers().forEach(worker -> worker.drop(fence));
    }

    private Optional<Ending> ending(Parting parting) {
        var hold = parting.hold();
        return cast.lease(hold)
                .map(lease -> ending(lease, forged(lease.fence(), hold), parting.manner()));
    }

    private Ending ending(Lease lease, Fence fence, Manner manner) {
        return switch (manner) {
            case Manner.Complete(String result) -> new Ending.Complete(fence, Payload.text(result));
            case Manner.Fail(String category) -> {
                var failure = Failure.of(category, "it failed");
                var verdict =
                        lease.policy()
                                .retry()
                                .decide(fence.execution(), failure, lease.retriesUsed());
                yield new Ending.Fail(fence, failure, verdict);
            }
            case Manner.Cancel() -> new Ending.Cancel(fence, "not worth it");
            case Manner.Delay(Wait until) -> new Ending.Delay(fence, until.due(cast.start()));
            case Manner.Suspend(Suspension suspension) -> new Ending.Suspend(fence, suspension);
            case Manner.Release() -> new Ending.Release(fence);
        };
    }

    private Optional<Fence> presented(Hold hold) {
        return cast.lease(hold).map(lease -> forged(lease.fence(), hold));
    }

    private Fence forged(Fence fence, Hold hold) {
        var id = fence.execution();
        return switch (hold.forgery()) {
            case NONE -> fence;
            case NEXT_EPOCH -> new Fence(id, fence.attempt(), fence.epoch() + 1);
            case NEXT_ATTEMPT -> new Fence(id, fence.attempt() + 1, fence.epoch());
            case OTHER_PARTITION ->
                    new Fence(Identity.elsewhere(id), fence.attempt(), fence.epoch());
            case UNKNOWN_EXECUTION ->
                    new Fence(cast.identity().unknown(), fence.attempt(), fence.epoch());
        };
    }

    void repeat(Operation.Repeat operation) {
        cast.worker(operation.worker()).earlierCall(operation.back()).ifPresent(Runnable::run);
    }
}
