package io.flowfabric.testkit.harness;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.harness.Operation.Deed;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.harness.Operation.Intent;
import io.flowfabric.testkit.history.Acknowledgement.ActDone;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Operators. */
final class OperatorRole extends Role {
    OperatorRole(Stage stage, Participants cast) {
        super(stage, cast);
    }

    void operate(Operation.Operate operation) {
        var acts = operation.deeds().stream().flatMap(deed -> act(deed).stream()).toList();
        if (!acts.isEmpty()) {
            act(acts, new Attribution(operation.actor(), "it seemed right"), operation.hearing());
        }
    }

    void act(List<OperatorCommand> acts, Attribution by, Hearing hearing) {
        hear(
                        hearing,
                        () -> stage.call("act", acts, store -> store.operations().act(acts, by)),
                        // A second resume or replay finds nothing to do: the model knows which.
                        (first, second) -> {})
                .ifPresent(
                        heard ->
                                eachDone(
                                        acts,
                                        heard.answer(),
                                        (act, state) ->
                                                cast.acknowledgements()
                                                        .note(new ActDone(heard.span(), act))));
    }

    private Optional<OperatorCommand> act(Deed deed) {
        return cast.ledger()
                .recent(deed.execution())
                .map(Submission::id)
                .map(id -> deed.elsewhere() ? Identity.elsewhere(id) : id)
                .map(id -> act(id, deed.intent()));
    }

    private static OperatorCommand act(ExecutionId id, Intent intent) {
        return switch (intent) {
            case Intent.Cancel() -> new OperatorCommand.Cancel(id);
            case Intent.Complete(String result) ->
                    new OperatorCommand.Complete(id, Payload.text(result));
            case Intent.Fail(String message) ->
                    new OperatorCommand.Fail(id, Failure.of(Failure.PERMANENT, message));
            case Intent.Pause() -> new OperatorCommand.Pause(id);
            case Intent.Resume() -> new OperatorCommand.Resume(id);
            case Intent.Revoke() -> new OperatorCommand.Revoke(id);
            case Intent.Reprioritise(int priority) ->
                    new OperatorCommand.Reprioritise(id, priority);
            case Intent.Replay(boolean fresh) -> new OperatorCommand.Replay(id, fresh);
        };
    }

    void assign(Operation.Assign operation) {
        var worker = cast.worker(operation.worker());
        var session = worker.sessionId();
        var by = new Attribution("ada", "it is urgent");
        cast.ledger()
                .recent(operation.execution())
                .map(Submission::id)
                .flatMap(
                        id ->
                                hear(
                                        Hearing.HEARD,
                                        () ->
                                                stage.call(
                                                        "operations.claim",
                                                        List.of(id, session),
                                                        s -> s.operations().claim(id, session, by)),
                                        (first, second) -> {}))
                .ifPresent(
                        heard -> {
                            worker.learn(heard.answer());
                            cast.acknowledgements()
                                    .note(new LeaseGiven(heard.span(), heard.answer()));
                        });
    }

    void markDead(Operation.MarkDead operation) {
        var session = cast.worker(operation.worker()).sessionId();
        var by = new Attribution(operation.actor(), "it does not answer");
        var unused =
                stage.call("markDead", session, store -> store.workers().markDead(session, by));
    }

    void defineQuota(Operation.DefineQuota operation) {
        var by = new Attribution(operation.actor(), "it seemed right");
        var unused =
                stage.call(
                        "quota",
                        List.of(operation.namespace(), operation.name(), operation.quota()),
                        store -> {
                            var quotas = store.quotas();
                            if (operation.quota().isEmpty()) {
                                quotas.delete(operation.namespace(), operation.name(), by);
                                return operation.quota();
                            }
                            return quotas.define(operation.quota().get(), by);
                        });
    }

    void defineBudget(Operation.DefineBudget operation) {
        var by = new Attribution(operation.actor(), "it seemed right");
        var unused =
                stage.call(
                        "budget",
                        List.of(operation.namespace(), operation.name(), operation.change()),
                        store -> defined(store.budgets(), operation, by));
    }

    private static Object defined(
            Budgets budgets, Operation.DefineBudget operation, Attribution by) {
        var budget =
                Budget.of(operation.name(), Vocabulary.TOKENS, operation.hard())
                        .bounds(
                                Vocabulary.TOKENS,
                                Bounds.hard(operation.hard()).soft(operation.hard() / 2))
                        .namespace(operation.namespace());
        var placed =
                operation.name().equals(Vocabulary.BUDGETS.getFirst())
                        ? budget
                        : budget.parent(Vocabulary.BUDGETS.getFirst());
        return switch (operation.change()) {
            case DEFINE -> budgets.define(placed, by);
            case DEFINE_WITH_PERIOD -> budgets.define(placed.period(Duration.ofSeconds(30)), by);
            case DEFINE_CANCELLING ->
                    budgets.define(placed.enforcement(Budget.Enforcement.CANCEL), by);
            case RESET -> budgets.reset(operation.namespace(), operation.name(), by);
            case DELETE -> {
                budgets.delete(operation.namespace(), operation.name(), by);
                yield "deleted";
            }
        };
    }

    void configure(Operation.Configure operation) {
        var by = new Attribution(operation.actor(), "it seemed right");
        var unused =
                stage.call(
                        "configure",
                        List.of(operation.lane(), operation.settings().state()),
                        store ->
                                store.lanes()
                                        .configure(operation.lane(), operation.settings(), by));
    }
}
