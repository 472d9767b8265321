package io.flowfabric.mutation;

import io.flowfabric.embedded.EmbeddedPostgres;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;

/** Tries one change after the other on a server of its own, as long as some are left. */
final class TrialLane implements Callable<Void> {
    /** How many changes one process tries at most: each leaves its classes behind. */
    static final int BEFORE_IT_IS_FULL = 60;

    /** If so many processes in a row end without an answer, it is not because of the changes. */
    private static final int LOST_IN_A_ROW = 3;

    private final String name;
    private final Module module;
    private final List<String> words;
    private final Queue<Integer> left;
    private final int most;
    private final TrialReport report;
    private final Set<Integer> batch = new LinkedHashSet<>();
    private int lost;

    /**
     * @param words what each process is told before the folder in which it changes files
     * @param left the numbers of the changes, which other lanes take from, too
     * @param most how many of them a process is given
     */
    TrialLane(
            String name,
            Module module,
            List<String> words,
            Queue<Integer> left,
            int most,
            TrialReport report) {
        this.name = name;
        this.module = module;
        this.words = words;
        this.left = left;
        this.most = most;
        this.report = report;
    }

    @Override
    public Void call() throws IOException, InterruptedException {
        try (var server = module.server(name, "log_statement", "none")) {
            while (fill()) {
                tryBatch(server);
            }
            return null;
        } finally {
            // Where one lane fails, the others come to an end.
            if (!batch.isEmpty()) {
                left.clear();
            }
        }
    }

    private boolean fill() {
        while (batch.size() < most) {
            var next = left.poll();
            if (next == null) {
                break;
            }
            batch.add(next);
        }
        return !batch.isEmpty();
    }

    /** Lets a process try changes until it ends; those that it did not come to stay. */
    private void tryBatch(EmbeddedPostgres server) throws IOException, InterruptedException {
        int first = batch.iterator().next();
        var log = module.scratch().resolve(name + ".log");
        var told = new ArrayList<>(words);
        told.add(module.scratch().resolve("changed-" + name).toString());
        module.talk(server, log, told, List.copyOf(batch), this::hear);
        // A process that ends without a word did so because of the one that it was trying; if that
        // was not its first one, another process will tell.
        if (batch.contains(first)) {
            if (++lost == LOST_IN_A_ROW) {
                throw new IllegalStateException(
                        "%d processes in a row ended without an answer: see %s."
                                .formatted(LOST_IN_A_ROW, log));
            }
            note(first, TrialResult.LOST);
        }
    }

    private void hear(String answer) {
        var columns = answer.split("\t", -1);
        lost = 0;
        note(Integer.parseInt(columns[0]), TrialResult.parse(columns));
    }

    private void note(int number, TrialResult result) {
        batch.remove(number);
        report.note(number, result);
    }
}
