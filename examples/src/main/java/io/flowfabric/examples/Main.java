package io.flowfabric.examples;

import io.flowfabric.embedded.EmbeddedPostgres;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Runs the example that the first word names, or lists them. Exit code 0 means that everything came
 * true that the example claims, 1 that something did not, 2 that there is no such example.
 */
public final class Main {
    private static final int WRONG_WORDS = 2;

    private Main() {}

    /**
     * An example.
     *
     * @param says what it shows, in one line
     */
    record Example(String name, String says, Story story) {}

    static final List<Example> ALL =
            List.of(
                    new Example(
                            "retry-and-cancel",
                            "a call that fails twice, a wait and a running handler that are called"
                                    + " off",
                            Story.of(RetryAndCancel::run)),
                    new Example(
                            "approval",
                            "work that waits for a signed link to be clicked",
                            Story.of(ApprovalLink::run)),
                    new Example(
                            "two-approvers",
                            "work that waits for two different people",
                            Story.of(TwoApprovers::run)),
                    new Example(
                            "token-budget",
                            "prompts to a model, stopped by a budget of tokens",
                            Story.of(TokenBudget::run)),
                    new Example(
                            "race",
                            "three models are asked, the first answer is taken",
                            Story.of(ModelRace::run)),
                    new Example(
                            "media-pipeline",
                            "a flow: a film is transcoded, captioned and released",
                            Story.of(MediaPipeline::run)),
                    new Example(
                            "orders",
                            "work that is submitted in the transaction of an order",
                            OrdersInTransaction::run),
                    new Example(
                            "nightly",
                            "a report every night at three, and another one every second",
                            Story.of(NightlyReport::run)),
                    new Example(
                            "agent",
                            "a loop of thoughts and tools that streams what it says, and asks a"
                                    + " person",
                            Story.of(AgentLoop::run)),
                    new Example(
                            "takeover",
                            "a worker process is killed, another one goes on behind its steps",
                            Takeover::run));

    /** Runs one example. */
    public static void main(String[] words) throws Exception {
        if (words.length == 0) {
            System.out.println("./ff example NAME, one of:");
            ALL.forEach(one -> System.out.printf("  %-18s%s%n", one.name, one.says));
            return;
        }
        var example = find(words[0]);
        if (example.isEmpty()) {
            System.err.printf(
                    "There is no example '%s'; ./ff example lists those that there are.%n",
                    words[0]);
            System.exit(WRONG_WORDS);
        } else {
            System.exit(run(example.get()) ? 0 : 1);
        }
    }

    static Optional<Example> find(String name) {
        return ALL.stream().filter(one -> one.name.equals(name)).findFirst();
    }

    private static boolean run(Example example) throws Exception {
        var home = System.getProperty("flowfabric.examples.home", ".flowfabric/examples");
        try (var server = EmbeddedPostgres.start(Path.of(home));
                var fabric = DatabaseLogin.of(server).fabric()) {
            fabric.cancelAll(fabric.search(), "left by an example that was stopped");
            System.out.printf("%s: %s%n", example.name, example.says);
            example.story.tell(fabric, DatabaseLogin.of(server), System.out);
            return true;
        } catch (AssertionError wrong) {
            System.err.println(wrong.getMessage());
            return false;
        }
    }
}
