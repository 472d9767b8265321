package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A worker as a program of its own, which SIGTERM ends in good order. */
final class WorkerProgram {
    static final Kind<String, String> RENDER =
            Kind.of("render", String.class, String.class).lane("films");

    public static void main(String[] args) throws InterruptedException {
        // args[0], from a secret: postgresql://user:password@host/database
        try (var fabric = FlowFabric.connect(args[0])) {
            start(fabric);
            new CountDownLatch(1).await(); // until the JVM is told to end
        }
    }

    static void start(FlowFabric fabric) {
        fabric.worker("renderer-" + ProcessHandle.current().pid())
                .concurrency(Runtime.getRuntime().availableProcessors())
                .threads(Thread.ofPlatform().factory()) // it computes, so no virtual threads
                .grace(Duration.ofSeconds(20)) // what runs may finish within this
                .on(RENDER, (task, film) -> film + ", rendered")
                .start();
    }
}
