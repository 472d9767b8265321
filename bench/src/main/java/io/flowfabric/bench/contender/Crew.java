package io.flowfabric.bench.contender;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that each do one thing after another until everything is done. */
final class Crew {
    /** One thread's work. */
    interface Member {
        /** Claims and finishes what it can get in one go, and says how many that were. */
        int work() throws SQLException;
    }

    private Crew() {}

    /** Lets them work until so many executions are finished. */
    static Duration drain(List<? extends Member> members, int executions)
            throws InterruptedException {
        try (var threads = Executors.newFixedThreadPool(members.size())) {
            var line = new FinishLine(executions);
            var jobs = new ArrayList<Future<?>>();
            for (var member : members) {
                jobs.add(
                        threads.submit(
                                () -> {
                                    while (!line.complete()) {
                                        int done = member.work();
                                        if (done > 0) {
                                            line.finished(done);
                                        } else {
                                            // What is left is in the hands of others.
                                            line.pause();
                                        }
                                    }
                                    return null;
                                }));
            }
            try {
                var time = line.await();
                for (var job : jobs) {
                    check(job);
                }
                return time;
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static void check(Future<?> job) throws InterruptedException {
        try {
            job.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("A thread of the crew gave up.", e.getCause());
        }
    }
}
