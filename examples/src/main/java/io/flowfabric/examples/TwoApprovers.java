package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;

/** A payment needs two people. One of them twice is one; one who rejects is enough to reject. */
final class TwoApprovers {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private static final Kind<String, String> PAYMENT =
            Kind.of("payment", String.class, String.class).lane("payments");

    private TwoApprovers() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        var tokens = new LinkedBlockingQueue<String>();
        var worker =
                fabric.worker("treasury")
                        .on(
                                PAYMENT,
                                (task, to) -> {
                                    var approval =
                                            task.awaitApprovals(
                                                    "board", 2, Duration.ofDays(2), tokens::add);
                                    return "%s: %s by %s"
                                            .formatted(to, approval.verdict(), approval.by());
                                })
                        .start();

        out.println("a payment to the baker waits for two of the board, who have one token");
        var baker = fabric.submit(PAYMENT.with("baker"));
        var token = tokens.take();
        out.println("ada approves: " + fabric.approve(token, "ada").effect().wire());
        out.println("ada approves again: " + fabric.approve(token, "ada").effect().wire());
        var state = baker.describe().state().publicState();
        claim(out, !state.terminal(), "it still waits, for another one than ada");
        out.println("bob approves: " + fabric.approve(token, "bob").effect().wire());
        said(out, "baker: APPROVED by [ada, bob]", baker.await(A_MINUTE));

        out.println("a payment to the casino waits for them, too");
        var casino = fabric.submit(PAYMENT.with("casino"));
        var second = tokens.take();
        out.println("ada approves: " + fabric.approve(second, "ada").effect().wire());
        out.println("bob rejects: " + fabric.reject(second, "bob").effect().wire());
        said(out, "casino: REJECTED by [ada, bob]", casino.await(A_MINUTE));
        worker.stop();
    }

    private static void said(PrintStream out, String expected, String said) {
        claim(out, said.equals(expected), said);
    }
}
