package io.flowfabric.bench;

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
            case CATCHUP -> new CatchUp();
        };
    }
}
