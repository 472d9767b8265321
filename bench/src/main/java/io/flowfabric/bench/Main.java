package io.flowfabric.bench;

import io.flowfabric.bench.Arguments.Bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** The program behind {@code ./ff bench}. */
public final class Main {
    private static final int MISUSED = 2;

    private Main() {}

    public static void main(String[] words) throws IOException, SQLException, InterruptedException {
        // Figures read the same everywhere.
        Locale.setDefault(Locale.ROOT);
        int outcome = run(List.of(words), System.out, System.err);
        if (outcome != 0) {
            System.exit(outcome);
        }
    }

    /** Runs what the words ask for; the report goes out, everything else beside it. */
    static int run(List<String> words, PrintStream out, PrintStream beside)
            throws IOException, SQLException, InterruptedException {
        Arguments arguments;
        try {
            arguments = Arguments.parse(words);
        } catch (Refusal refusal) {
            beside.println(refusal.getMessage());
            return MISUSED;
        }
        var report = benchmark(arguments).run(arguments, beside::println);
        out.println();
        out.print(report.text());
        if (arguments.json().isPresent()) {
            Files.writeString(arguments.json().get(), report.json());
        }
        return 0;
    }

    private static Benchmark benchmark(Arguments arguments) {
        return switch (arguments.store()) {
            case POSTGRES -> onPostgres(arguments);
            case VALKEY -> onValkey(arguments.bench());
        };
    }

    private static Benchmark onPostgres(Arguments arguments) {
        return switch (arguments.bench()) {
            case DRAIN -> arguments.heldSnapshot() ? new HeldSnapshot() : new Drain();
            case SUBMIT -> new Submit();
            case IDLE -> new Idle();
            case GROWTH -> new Growth();
            case RETENTION -> new Retention();
            case ENQUEUE -> new Enqueue();
            case ADMISSION -> new Admission();
            case ROUTING -> new Routing();
            case KEYS -> new ManyKeys();
            case SESSIONS -> new ManySessions();
            case CATCHUP -> new FeedCatchUp();
            case WAITING -> new Waiting();
            case FLOWS -> new Flowing();
            case WORKER -> new WorkerOverStore();
            case PEERS -> new Peers();
            case MEMORY, CLUSTER -> throw refusedBefore(arguments.bench());
        };
    }

    private static Benchmark onValkey(Bench bench) {
        return switch (bench) {
            case DRAIN -> new ValkeyDrain();
            case SUBMIT -> new ValkeySubmit();
            case IDLE -> new ValkeyIdle();
            case GROWTH -> new ValkeyGrowth();
            case MEMORY -> new ValkeyMemory();
            case CLUSTER -> new ValkeyCluster();
            case WAITING -> new Waiting();
            case FLOWS -> new Flowing();
            case RETENTION, ENQUEUE, ADMISSION, ROUTING, KEYS, SESSIONS, CATCHUP, WORKER, PEERS ->
                    throw refusedBefore(bench);
        };
    }

    private static IllegalStateException refusedBefore(Bench bench) {
        return new IllegalStateException(
                "The arguments let bench %s through.".formatted(bench.word()));
    }
}
