package io.flowfabric.bench;

import io.flowfabric.bench.contender.ValkeyEngine;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.bench.server.RedisUsage;

import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/** What an engine and its worker ask of a Valkey while there is nothing to do. */
final class ValkeyIdle implements Benchmark {

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, InterruptedException {
        var watched = arguments.quick() ? Idle.WATCHED_QUICKLY : Idle.WATCHED;
        try (var server = RedisServer.start();
                var engine = new ValkeyEngine(server, arguments.workers(), "valkey", "Valkey")) {
            engine.submit(Idle.BEFORE);
            engine.drain();
            progress.accept("watching an idle engine for " + watched.toSeconds() + " s");
            var counted =
                    engine.running(
                            () -> {
                                Idle.pass(Idle.SETTLING);
                                var before = server.usage();
                                Idle.pass(watched);
                                return server.usage().since(before);
                            });
            engine.verify();
            // The question itself is one of them.
            double commands = (double) (counted.commands() - 1) / watched.toSeconds();
            double calls = (double) counted.functionCalls() / watched.toSeconds();
            long micros = counted.named().getOrDefault(RedisUsage.SERVER, 0L);
            var table = new Table("", "commands/s", "function calls/s", "server us/s");
            table.row(
                    "engine and worker, idle",
                    "%.1f".formatted(commands),
                    "%.1f".formatted(calls),
                    "%,.0f".formatted((double) micros / watched.toSeconds()));
            return new Report(
                    "idle on Valkey",
                    Benchmark.settings(arguments, Idle.BEFORE, 1, server.settings()),
                    table,
                    Map.of("idle_commands_per_s", commands),
                    Map.of(
                            "seconds", watched.toSeconds(),
                            "commands", counted.commands(),
                            "function_calls", counted.functionCalls()));
        }
    }
}
