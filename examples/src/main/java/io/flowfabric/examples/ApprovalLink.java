package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.core.Denied;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;

/** A refund waits for a person, who is sent a signed link and clicks it. */
final class ApprovalLink {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    /** Who has clicked; a real application knows that from its login. */
    private static final String USER = "Example-User";

    record Refund(String customer, long cents) {}

    private static final Kind<Refund, String> REFUND =
            Kind.of("refund", Refund.class, String.class).lane("refunds");

    private ApprovalLink() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/approve", exchange -> click(fabric, exchange));
        server.start();
        try (var browser = HttpClient.newHttpClient()) {
            story(fabric, out, browser, server.getAddress().getPort());
        } finally {
            server.stop(0);
        }
    }

    private static void story(FlowFabric fabric, PrintStream out, HttpClient browser, int port)
            throws Exception {
        var mailbox = new LinkedBlockingQueue<URI>();
        var worker =
                fabric.worker("cashier")
                        .on(
                                REFUND,
                                (task, refund) -> {
                                    out.println("the handler runs");
                                    var approval =
                                            task.awaitApproval(
                                                    "manager",
                                                    Duration.ofDays(2),
                                                    token -> mailbox.add(link(port, token)));
                                    return approval.approved()
                                            ? "paid out to %s, approved by %s"
                                                    .formatted(refund.customer(), approval.by())
                                            : "kept: " + approval.verdict();
                                })
                        .start();

        var refund = fabric.submit(REFUND.with(new Refund("Ada", 4_200)));
        var link = mailbox.take();
        out.println("a mail was sent with " + link.toString().substring(0, 60) + "...");
        out.println("until the link is clicked no thread and no lease is held");

        var forged = URI.create(link.toString().replaceAll(".{4}$", "AAAA"));
        out.println("a link that was changed is clicked");
        claim(out, status(browser, forged, "manager") == 403, "it is refused with 403");

        out.println("the right link is clicked");
        claim(out, status(browser, link, "manager") == 200, "it is taken with 200");
        var said = refund.await(A_MINUTE);
        claim(out, said.equals("paid out to Ada, approved by [manager]"), said);

        out.println("the link is clicked once more, by the manager and by another person");
        claim(out, status(browser, link, "manager") == 200, "the manager is told the same again");
        claim(out, status(browser, link, "eve") == 403, "the other one is refused: it is over");
        claim(out, mailbox.isEmpty(), "the mail was sent once, although the handler ran twice");
        worker.stop();
    }

    private static URI link(int port, String token) {
        var encoded = URLEncoder.encode(token, StandardCharsets.UTF_8);
        return URI.create("http://127.0.0.1:%d/approve?token=%s".formatted(port, encoded));
    }

    /** What the web application does with a click: it hands the token to the fabric. */
    private static void click(FlowFabric fabric, HttpExchange exchange) throws IOException {
        try (exchange) {
            var query = exchange.getRequestURI().getRawQuery();
            var token = URLDecoder.decode(query.replace("token=", ""), StandardCharsets.UTF_8);
            int status;
            try {
                fabric.approve(token, exchange.getRequestHeaders().getFirst(USER));
                status = 200;
            } catch (Denied refused) {
                status = 403;
            }
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private static int status(HttpClient browser, URI link, String user) throws Exception {
        var request = HttpRequest.newBuilder(link).header(USER, user).build();
        return browser.send(request, BodyHandlers.discarding()).statusCode();
    }
}
