package io.flowfabric.testkit.harness;

/** Performs operations: turns what they refer to into what is there. */
final class Performer {
    private final Stage stage;
    private final SubmitterRole submitters;
    private final FlowRole flows;
    private final SessionRole sessions;
    private final WorkerRole workers;
    private final GrantRole grants;
    private final OperatorRole operators;
    private final SignalRole signals;

    Performer(Stage stage, Participants cast) {
        this.stage = stage;
        this.submitters = new SubmitterRole(stage, cast);
        this.flows = new FlowRole(stage, cast);
        this.sessions = new SessionRole(stage, cast);
        this.workers = new WorkerRole(stage, cast);
        this.grants = new GrantRole(stage, cast);
        this.operators = new OperatorRole(stage, cast);
        this.signals = new SignalRole(stage, cast);
    }

    void perform(Operation operation) {
        switch (operation) {
            case Operation.Submit submit -> submitters.submit(submit);
            case Operation.SubmitFlow submit -> flows.submit(submit);
            case Operation.CancelFlow cancel -> flows.cancel(cancel);
            case Operation.Open open -> sessions.open(open);
            case Operation.Reopen reopen -> sessions.reopen(reopen);
            case Operation.Close close -> sessions.close(close);
            case Operation.Crash crash -> sessions.crash(crash);
            case Operation.Beat beat -> sessions.beat(beat);
            case Operation.Claim claim -> {
                sessions.openIfNeeded(claim.worker(), claim.opening());
                workers.claim(claim);
            }
            case Operation.Grant grant -> {
                sessions.openIfNeeded(grant.worker(), grant.opening());
                grants.grant(grant);
            }
            case Operation.Reclaim reclaim -> grants.reclaim(reclaim);
            case Operation.Redeem redeem -> grants.redeem(redeem);
            case Operation.Rotate rotate -> grants.rotate(rotate);
            case Operation.ClaimAgain again -> workers.claimAgain(again);
            case Operation.Report report -> workers.report(report);
            case Operation.End end -> workers.end(end);
            case Operation.Repeat repeat -> workers.repeat(repeat);
            case Operation.Operate operate -> operators.operate(operate);
            case Operation.Assign assign -> operators.assign(assign);
            case Operation.MarkDead mark -> operators.markDead(mark);
            case Operation.Configure configure -> operators.configure(configure);
            case Operation.DefineQuota quota -> operators.defineQuota(quota);
            case Operation.DefineBudget budget -> operators.defineBudget(budget);
            case Operation.Spend spend -> workers.spend(spend);
            case Operation.Checkpoints checkpoints -> workers.checkpoint(checkpoints);
            case Operation.OpenWaitpoint open -> workers.open(open);
            case Operation.Send send -> signals.send(send);
            case Operation.CloseWaitpoint close -> signals.close(close);
            case Operation.Appends appends -> workers.append(appends);
            case Operation.Tick(var chore, int limit) -> stage.tick(chore, limit);
            case Operation.Pass(var time) -> stage.advance(time);
        }
    }
}
