package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.TaskHandler;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/**
 * A second worker process is killed amid its third step; this one goes on behind the two that are
 * finished. It is killed as hard as it gets (SIGKILL), so it can say goodbye to nothing.
 */
public final class Takeover {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final String HANGS = "ship (it hangs)";

    private static final Kind<String, String> PARCEL =
            Kind.of("takeover-parcel", String.class, String.class).lane("takeover");

    private Takeover() {}

    static void run(FlowFabric fabric, DatabaseLogin database, PrintStream out) throws Exception {
        var other = start(database);
        try (var lines = other.inputReader()) {
            claim(out, "ready".equals(lines.readLine()), "a second process runs: " + other.pid());
            var parcel = fabric.submit(PARCEL.with("tea"));

            var done = new ArrayList<String>();
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                out.println("second process: " + line);
                done.add(line);
                if (line.equals(HANGS)) {
                    break;
                }
            }
            claim(out, done.equals(List.of("reserve", "charge", HANGS)), "two steps are finished");

            out.println("the second process is killed, and this one starts a worker");
            other.destroyForcibly();
            var here = new ArrayList<String>();
            var worker = fabric.worker("first").ttl(TTL).on(PARCEL, handler(here::add)).start();
            var said = parcel.await(A_MINUTE);

            claim(out, said.equals("tea, reserved, charged, shipped"), said);
            claim(out, here.equals(List.of("ship")), "this process did only the third step");
            var view = parcel.describe();
            claim(out, view.attempts() == 1, "it still was the first attempt");
            claim(out, view.reclaims() == 1, "its lease was lost once, and claimed again");
            worker.stop();
        } finally {
            other.destroyForcibly();
        }
    }

    /** Both processes have the same handler; only what a step does is told to different ears. */
    private static TaskHandler<String, String> handler(Ear ear) {
        return (task, item) -> {
            var reserved =
                    task.step("reserve", String.class, () -> did(ear, "reserve", "reserved"));
            var charged = task.step("charge", String.class, () -> did(ear, "charge", "charged"));
            var shipped = task.step("ship", String.class, () -> did(ear, "ship", "shipped"));
            return String.join(", ", item, reserved, charged, shipped);
        };
    }

    /** What is told of a step. */
    @FunctionalInterface
    private interface Ear {
        Object hear(String step) throws Exception;
    }

    private static String did(Ear ear, String step, String result) throws Exception {
        ear.hear(step);
        return result;
    }

    private static Process start(DatabaseLogin database) throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classPath = System.getProperty("java.class.path");
        var builder =
                new ProcessBuilder(java, "-Xmx128m", "-cp", classPath, Takeover.class.getName());
        builder.environment().put("EXAMPLE_URL", database.url());
        builder.environment().put("EXAMPLE_USER", database.user());
        builder.environment().put("EXAMPLE_PASSWORD", database.password());
        return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** The second process: a worker that hangs in the third step. */
    public static void main(String[] args) throws Exception {
        try (var fabric =
                FlowFabric.connect(
                        told("EXAMPLE_URL"), told("EXAMPLE_USER"), told("EXAMPLE_PASSWORD"))) {
            fabric.worker("second").ttl(TTL).on(PARCEL, handler(Takeover::sayOrHang)).start();
            System.out.println("ready");
            System.in.read(); // until the first process ends, or this one is killed
        }
    }

    private static String told(String variable) {
        return Objects.requireNonNull(System.getenv(variable), variable);
    }

    private static boolean sayOrHang(String step) throws InterruptedException {
        if (!step.equals("ship")) {
            System.out.println(step);
            return true;
        }
        System.out.println(HANGS);
        new CountDownLatch(1).await();
        return false;
    }
}
