package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.Work;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.state.StateVector.BlockingReason;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Twenty prompts go to a model; a budget of a thousand tokens lets ten of them through. */
final class TokenBudget {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final Attribution ADA = new Attribution("ada", "what we can afford");
    private static final String BUDGET = "example-llm";
    private static final long EACH = 100;

    private static final Kind<String, String> PROMPT =
            Kind.of("prompt", String.class, String.class)
                    .lane("prompts")
                    // Set aside before it starts, so that many at once do not start too many.
                    .policy(policy -> policy.budget(BUDGET, Map.of("tokens", EACH)));

    private TokenBudget() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        limit(fabric, 1_000);
        fabric.budgets().reset(fabric.namespace(), BUDGET, ADA);
        var model = new FakeModel();
        var worker =
                fabric.worker("prompter")
                        .concurrency(4)
                        .on(
                                PROMPT,
                                (task, prompt) ->
                                        task.step(
                                                "ask",
                                                String.class,
                                                () -> {
                                                    var answer = model.ask(prompt);
                                                    task.spend(BUDGET, "tokens", EACH);
                                                    return answer;
                                                }))
                        .start();

        out.println("20 prompts of 100 tokens are submitted, 1,000 tokens may be used");
        var prompts = new ArrayList<Work<String>>();
        for (int i = 1; i <= 20; i++) {
            prompts.add(PROMPT.with("Describe picture " + i));
        }
        var work = fabric.submitAll(prompts).stream().map(Answer::orThrow).toList();
        for (var one : work.subList(0, 10)) {
            one.await(A_MINUTE);
        }
        claim(out, model.asked.get() == 10, "ten prompts were answered");
        out.println("  " + standing(fabric));

        var waiting = work.get(10).explain();
        claim(
                out,
                waiting.reason() == BlockingReason.WAITING_FOR_BUDGET,
                "the eleventh is not running: " + waiting.words());
        claim(out, model.asked.get() == 10, "the model was not asked again");

        out.println("ada raises the budget to 2,000 tokens");
        limit(fabric, 2_000);
        for (var one : work.subList(10, 20)) {
            one.await(A_MINUTE);
        }
        claim(out, model.asked.get() == 20, "the other ten were answered, each once");
        out.println("  " + standing(fabric));
        worker.stop();
    }

    private static void limit(FlowFabric fabric, long tokens) {
        var budget = Budget.of(BUDGET, "tokens", tokens).namespace(fabric.namespace());
        fabric.budgets().define(budget, ADA);
    }

    private static String standing(FlowFabric fabric) {
        return fabric.budgets().describe(fabric.namespace(), BUDGET).inWords();
    }

    /** Stands in for a language model. */
    private static final class FakeModel {
        private static final List<String> MOODS = List.of("bright", "dark", "quiet");
        private final AtomicInteger asked = new AtomicInteger();

        String ask(String prompt) {
            return prompt + ": it is " + MOODS.get(asked.getAndIncrement() % MOODS.size());
        }
    }
}
