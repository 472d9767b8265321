package io.flowfabric.cli.terminal;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, {@code kill} and a closed terminal, as a wish that the program answers in its own order.
 *
 * <p>Shutdown hooks would not do: they all run at once, and the server would be gone before the
 * workers have given their work back. The JDK offers signals only in a class of {@code
 * jdk.unsupported}, about which javac warns whatever one does; hence the reflection. On a JDK
 * without it the program still stops, only less tidily.
 */
public final class StopSignal {
    /** What a shell reports for a program that Ctrl-C has ended. */
    public static final int EXIT_CODE = 130;

    private static final List<String> SIGNALS = List.of("INT", "TERM", "HUP");

    private final CountDownLatch asked = new CountDownLatch(1);

    private StopSignal() {}

    /** Listens from now on. A user who asks a second time does not want to wait any longer. */
    public static StopSignal listen() {
        var stop = new StopSignal();
        SIGNALS.forEach(signal -> handle(signal, stop::ask));
        return stop;
    }

    /**
     * Does not listen to Ctrl-C, which reaches every process of the terminal: for a process that is
     * stopped by its parent.
     */
    public static void ignore() {
        SIGNALS.forEach(signal -> handle(signal, () -> {}));
    }

    /** Whether the user has asked. */
    public boolean asked() {
        return asked.getCount() == 0;
    }

    /** Waits until the user asks. */
    public void await() {
        while (!await(Duration.ofDays(1))) {
            // Nobody has.
        }
    }

    /** Waits until the user asks, so long at most, and says whether that happened. */
    public boolean await(Duration atMost) {
        try {
            return asked.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts this thread.", e);
        }
    }

    /**
     * Waits.
     *
     * @throws Stopped when the user asks, or has asked before
     */
    public void pause(Duration time) {
        if (await(time)) {
            throw new Stopped();
        }
    }

    private void ask() {
        if (asked()) {
            System.exit(EXIT_CODE);
        }
        asked.countDown();
    }

    private static void handle(String name, Runnable reaction) {
        try {
            var signals = Class.forName("sun.misc.Signal");
            var handlers = Class.forName("sun.misc.SignalHandler");
            var handler =
                    Proxy.newProxyInstance(
                            StopSignal.class.getClassLoader(),
                            new Class<?>[] {handlers},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("handle")) {
                                    reaction.run();
                                }
                                return null;
                            });
            signals.getMethod("handle", signals, handlers)
                    .invoke(null, signals.getConstructor(String.class).newInstance(name), handler);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            // This JDK or this system does not let us; the JVM ends as it always does.
        }
    }
}
