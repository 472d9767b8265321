package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.worker.Worker;

import java.net.UnknownHostException;
import java.time.Duration;

/** Sends mails: a kind with types, a handler, and what is around every run of it. */
final class MailWorker {
    record Mail(String to, String text) {}

    record Receipt(String id) {}

    /** Sends a mail, and may fail. */
    interface Smtp {
        Receipt send(Mail mail, String id) throws Exception;
    }

    /** Declared once, and used by those who submit and those who handle. */
    static final Kind<Mail, Receipt> MAIL =
            Kind.of("mail", Mail.class, Receipt.class)
                    .lane("mails") // the queue that it waits in
                    .retries(5) // after the first attempt
                    .timeout(Duration.ofMinutes(2)) // for one run of the handler
                    .tag("team", "crm"); // found again by search

    static Worker start(FlowFabric fabric, Smtp smtp) {
        return fabric.worker("mailer")
                .concurrency(64) // handlers at once, each on a virtual thread
                .around(
                        (task, inner) -> {
                            long begun = System.nanoTime();
                            try {
                                return inner.run();
                            } finally {
                                task.log("took %d ns".formatted(System.nanoTime() - begun));
                            }
                        })
                .permanent(IllegalArgumentException.class) // would fail in the same way again
                .failing(UnknownHostException.class, "dns") // for Retry.only("dns"), and for you
                .on(MAIL, (task, mail) -> smtp.send(mail, task.execution().toString()))
                .start();
    }
}
