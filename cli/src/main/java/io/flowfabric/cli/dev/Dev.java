package io.flowfabric.cli.dev;

import io.flowfabric.cli.terminal.Screen;
import io.flowfabric.cli.terminal.StopSignal;
import io.flowfabric.cli.terminal.Stopped;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * The program: starts everything, lets the play begin, checks what came of it, stops everything.
 */
public final class Dev {
    private static final int GOOD = 0;
    private static final int BAD = 1;

    /** How long the play may take; it takes about ten seconds when the machine is free. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final int CONNECTIONS = 8;

    /** This program answers signals itself, in that order. */
    private static final EngineOptions IN_ORDER = EngineOptions.DEFAULT.stopsWithJvm(false);

    private static final DateTimeFormatter RUN =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final DevOptions options;
    private final Screen screen;
    private final StopSignal stop;
    private final Path logs;

    private Dev(DevOptions options, Screen screen, StopSignal stop) {
        this.options = options;
        this.screen = screen;
        this.stop = stop;
        this.logs = options.home().resolve("logs");
    }

    /** Runs it, and returns the exit code. */
    public static int run(DevOptions options) {
        var errors = System.err;
        var dev = new Dev(options, Screen.of(System.out, System.getenv()), StopSignal.listen());
        try {
            return dev.run();
        } catch (Stopped e) {
            dev.screen.say("Stopped before the end.");
            return StopSignal.EXIT_CODE;
        } catch (FlowFabricException e) {
            errors.println(e.getMessage());
        } catch (UncheckedIOException e) {
            errors.println("%s cannot be used: %s".formatted(options.home(), e.getMessage()));
        } catch (RuntimeException e) {
            e.printStackTrace();
            errors.println(
                    "Something went wrong that should not have: %s. The whole of it is in %s."
                            .formatted(e, dev.logs));
        }
        return BAD;
    }

    private int run() {
        Logs.redirect(logs, "engine");
        var store = options.store();
        screen.say(
                store.wasIn(options.home())
                        ? "The %s in %s starts; its data of earlier runs is still there."
                                .formatted(store.server(), options.home())
                        : "A %s is set up in %s; this is only needed once."
                                .formatted(store.server(), options.home()));
        try (var server = store.start(options.home())) {
            return run(server);
        }
    }

    private int run(DevServer server) {
        boolean good;
        try (var store = options.store().open(server.login(), "ff dev engine", CONNECTIONS);
                var engine = new Engine(store, IN_ORDER, EngineMetrics.NONE);
                var crew = new WorkerProcesses(options.store(), server.login(), logs)) {
            engine.start();
            screen.say(
                    "%s serves at 127.0.0.1:%d, and the engine runs."
                            .formatted(options.store().server(), server.port()));
            Leftovers.cancel(store, screen);
            good = play(engine, crew, server);
            if (options.once()) {
                screen.say(
                        "The data stays in %s. Without --once it stays up, to be looked at."
                                .formatted(options.home()));
            } else {
                stop.await();
                screen.say("");
                screen.say(stopping());
            }
        }
        return good ? GOOD : BAD;
    }

    private boolean play(Engine engine, WorkerProcesses crew, DevServer server) {
        var run = RUN.format(Instant.now());
        long start = System.nanoTime();
        try {
            new Play(engine, crew, screen, stop, run, PATIENCE).run();
        } catch (Stopped e) {
            screen.say("");
            screen.say(stopping());
            throw e;
        } finally {
            screen.clear();
        }
        var seconds = Duration.ofNanos(System.nanoTime() - start).toMillis() / 1000.0;
        var report = Check.of(engine.queries(), run);
        screen.say("");
        screen.say(
                "The run %s took %.1f s. What was submitted, and what the database has now:"
                        .formatted(run, seconds));
        screen.say("");
        report.lines(screen.colours()).forEach(screen::say);
        screen.say("");
        if (!options.once()) {
            var example = report.takenOver().map(ExecutionView::id);
            server.directions(options.home(), run, example).forEach(screen::say);
            screen.say("");
            screen.say(screen.colours().strong("Everything stays up until Ctrl-C."));
        }
        return report.good();
    }

    private String stopping() {
        return "Stopping: first the workers, then the engine, then %s."
                .formatted(options.store().server());
    }
}
