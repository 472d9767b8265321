package io.flowfabric.cli.dev;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.cli.terminal.StopSignal;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A demo worker in a process of its own; {@link WorkerProcess} is the other end.
 *
 * <p>It reads from its standard input where the store is, says {@link #READY}, and works until that
 * input ends. The system ends it when the parent is gone, however it went, so that no worker
 * outlives its parent.
 */
final class DevWorker {
    static final String READY = "ready";

    private static final int CONNECTIONS = 4;

    /** For a store that does not answer any more: nothing is lost when the session expires. */
    private static final Duration LONGEST_GOODBYE = Duration.ofSeconds(10);

    /** The parent tells it when to end. */
    private static final EngineOptions UNTIL_TOLD = EngineOptions.DEFAULT.stopsWithJvm(false);

    private DevWorker() {}

    public static void main(String[] words) throws IOException {
        StopSignal.ignore();
        var profile = Profile.valueOf(words[0]);
        var kind = DevStore.valueOf(words[1]);
        var parent = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        var url = parent.readLine();
        var user = parent.readLine();
        var password = parent.readLine();
        if (url == null || user == null || password == null) {
            return;
        }
        var login = new StoreLogin(url, user, password);
        try (var store = kind.open(login, "ff dev worker " + profile.worker(), CONNECTIONS);
                var engine = new Engine(store, UNTIL_TOLD, EngineMetrics.NONE)) {
            engine.start();
            var worker = profile.on(engine).start();
            System.out.println(READY);
            awaitEnd(parent);
            leaveInTime();
            worker.stop();
        }
    }

    private static void awaitEnd(BufferedReader parent) throws IOException {
        @Nullable String ignored;
        do {
            ignored = parent.readLine();
        } while (ignored != null);
    }

    private static void leaveInTime() {
        Thread.ofPlatform()
                .daemon()
                .name("goodbye")
                .start(
                        () -> {
                            try {
                                boolean unused =
                                        new CountDownLatch(1)
                                                .await(
                                                        LONGEST_GOODBYE.toMillis(),
                                                        TimeUnit.MILLISECONDS);
                            } catch (InterruptedException e) {
                                // Then now.
                            }
                            Runtime.getRuntime().halt(1);
                        });
    }
}
