package io.flowfabric.faults;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.NotFound;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What many threads did, how often it was done and refused, and what must not have happened. */
final class Deeds {
    private record Count(LongAdder done, LongAdder refused) {
        @Override
        public String toString() {
            return "%s done, %s refused".formatted(done, refused);
        }
    }

    private final Map<Player.Deed, Count> counts = new ConcurrentSkipListMap<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    void done(Player.Deed deed, long times) {
        count(deed).done.add(times);
    }

    /** Counts answers one by one. */
    void answered(Player.Deed deed, List<? extends Answer<?>> answers) {
        for (var answer : answers) {
            switch (answer) {
                case Answer.Done<?> done -> done(deed, 1);
                case Answer.Refused<?>(var refusal) -> threw(deed, refusal);
            }
        }
    }

    /** Others were faster: that is a refusal. Everything else is a failure. */
    void threw(Player.Deed deed, RuntimeException thrown) {
        switch (thrown) {
            case NotFound session -> count(deed).refused.increment();
            case LeaseLost late -> count(deed).refused.increment();
            case Conflict late -> count(deed).refused.increment();
            default -> failures.add(thrown);
        }
    }

    /** How often the rarest deed was done. */
    long leastOften() {
        return Arrays.stream(Player.Deed.values())
                .mapToLong(deed -> count(deed).done.sum())
                .min()
                .orElseThrow();
    }

    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    private Count count(Player.Deed deed) {
        return counts.computeIfAbsent(deed, first -> new Count(new LongAdder(), new LongAdder()));
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
