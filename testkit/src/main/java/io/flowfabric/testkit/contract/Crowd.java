package io.flowfabric.testkit.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Threads that set off together. Which of them comes first is left to chance. */
final class Crowd {
    private Crowd() {}

    /** Does the same thing so many times at once, and returns what each came to. */
    static <T> List<T> of(int size, IntFunction<T> member) {
        return together(
                IntStream.range(0, size)
                        .mapToObj(i -> (Callable<T>) () -> member.apply(i))
                        .toList());
    }

    /** Does different things at once, and returns what each came to. */
    static <T> List<T> together(List<Callable<T>> members) {
        var start = new CyclicBarrier(members.size());
        try (var threads = Executors.newFixedThreadPool(members.size())) {
            var running =
                    members.stream()
                            .map(
                                    member ->
                                            threads.submit(
                                                    () -> {
                                                        start.await();
                                                        return member.call();
                                                    }))
                            .toList();
            return results(running);
        }
    }

    private static <T> List<T> results(List<Future<T>> running) {
        var results = new ArrayList<T>();
        for (var future : running) {
            try {
                results.add(future.get());
            } catch (ExecutionException failed) {
                throw new AssertionError("a member of the crowd failed", failed.getCause());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new AssertionError("the crowd took too long", interrupted);
            }
        }
        return results;
    }
}
