package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.WorkFailed;
import io.flowfabric.WorkHandle;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Outcome;

import java.io.PrintStream;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** A call that fails twice and is tried again, a wait and a running handler that are called off. */
final class RetryAndCancel {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private static final Kind<String, String> TRANSFER =
            Kind.of("transfer", String.class, String.class)
                    .lane("bank")
                    .retry(Retry.retries(5).backoff(Backoff.fixed(Duration.ofMillis(200))));

    private static final Kind<String, Void> REMIND = Kind.of("remind", String.class).lane("bank");

    private static final Kind<String, Void> AUDIT = Kind.of("audit", String.class).lane("bank");

    private RetryAndCancel() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        var auditing = new CountDownLatch(1);
        var interrupted = new CountDownLatch(1);
        var worker =
                fabric.worker("bank")
                        .on(
                                TRANSFER,
                                (task, amount) -> {
                                    out.printf("attempt %d to move %s%n", task.attempt(), amount);
                                    if (task.attempt() < 3) {
                                        throw new IllegalStateException("the bank is closed");
                                    }
                                    return amount + " moved in attempt " + task.attempt();
                                })
                        .run(
                                REMIND,
                                (task, whom) -> {
                                    task.sleep("a week", Duration.ofDays(7));
                                    out.println("this is never said");
                                })
                        .run(
                                AUDIT,
                                (task, year) -> {
                                    auditing.countDown();
                                    try {
                                        new CountDownLatch(1).await(); // it would take for ever
                                    } catch (InterruptedException stopped) {
                                        interrupted.countDown();
                                        throw stopped;
                                    }
                                })
                        .start();

        var transfer = fabric.submit(TRANSFER.with("12.50"));
        var said = transfer.await(A_MINUTE);
        claim(out, said.equals("12.50 moved in attempt 3"), said);
        claim(out, transfer.describe().retries() == 2, "two retries were counted");

        var customer = UUID.randomUUID().toString();
        var reminder = fabric.submit(REMIND.with("Ada").tag("customer", customer));
        out.println("a reminder for next week is called off, found by its tag");
        var search = fabric.search().tag("customer", customer);
        claim(out, fabric.cancelAll(search, "moved away").done() == 1, "one piece was cancelled");
        out.println(ending(reminder));

        var audit = fabric.submit(AUDIT.with("1999"));
        auditing.await();
        out.println("an audit runs, and is called off amid its work");
        audit.cancel("the year is too long ago");
        interrupted.await();
        claim(out, true, "the thread of its handler was interrupted");
        out.println(ending(audit));
        worker.stop();
    }

    private static String ending(WorkHandle<Void> work) throws InterruptedException {
        try {
            work.await(A_MINUTE);
            throw new AssertionError("It is not so that cancelled work has no result.");
        } catch (WorkFailed failed) {
            if (failed.outcome() != Outcome.CANCELLED) {
                throw new AssertionError("It was to be cancelled.", failed);
            }
            return "  its end: " + failed.endedBy().orElseThrow().reason();
        }
    }
}
