package io.flowfabric.faults;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.QuotaUse;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Goes through the log of a run again, and sees what counted against each quota after every single
 * event.
 *
 * <p>A claim draws the events' numbers while nobody else counts against its quotas, and commits
 * them together with what it counted: whatever was given back before has a lower number, and
 * whatever was taken before has one, too. So if more was ever held at once than a quota allows, it
 * shows here.
 */
final class QuotaReplay extends LeaseReplay {
    private final Map<String, Quota> quotas;
    private final Map<ExecutionId, Set<QuotaUse>> uses;
    private final Map<ExecutionId, Integer> attempts = new HashMap<>();
    private final Map<QuotaUse, Integer> running = new HashMap<>();
    private final Map<QuotaUse, Integer> peaks = new TreeMap<>();
    private final Map<QuotaUse, List<Instant>> starts = new TreeMap<>();

    /**
     * @param quotas by name, as they were during the whole run
     * @param uses what each execution counts against
     */
    QuotaReplay(Map<String, Quota> quotas, Map<ExecutionId, Set<QuotaUse>> uses) {
        this.quotas = quotas;
        this.uses = uses;
    }

    @Override
    void given(Event.Step step) {
        var before = attempts.put(step.execution(), step.attempts());
        boolean begins = before == null || before < step.attempts();
        for (var use : usesOf(step)) {
            int now = running.merge(use, 1, Integer::sum);
            peaks.merge(use, now, Math::max);
            quota(use)
                    .concurrency()
                    .filter(most -> now > most)
                    .ifPresent(most -> fault("%s: %d at once, %s".formatted(use, now, step)));
            if (begins) {
                starts.computeIfAbsent(use, first -> new ArrayList<>()).add(step.at());
            }
        }
    }

    @Override
    void ended(Event.Step step) {
        usesOf(step).forEach(use -> running.merge(use, -1, Integer::sum));
    }

    private Set<QuotaUse> usesOf(Event.Step step) {
        return Objects.requireNonNull(uses.get(step.execution()), "nobody submitted it");
    }

    private Quota quota(QuotaUse use) {
        return Objects.requireNonNull(quotas.get(use.quota()), "nobody defined it");
    }

    @Override
    List<String> faults() {
        var all = new ArrayList<>(super.faults());
        starts.forEach(
                (use, moments) ->
                        quota(use)
                                .rate()
                                .ifPresent(rate -> all.addAll(tooOften(use, moments, rate))));
        return all;
    }

    private static List<String> tooOften(QuotaUse use, List<Instant> moments, Quota.Rate rate) {
        var found = new ArrayList<String>();
        var sorted = moments.stream().sorted().toList();
        for (int i = rate.max(); i < sorted.size(); i++) {
            var first = sorted.get(i - rate.max());
            if (sorted.get(i).isBefore(rate.until(first))) {
                found.add(
                        "%s: %d starts within %s from %s"
                                .formatted(
                                        use,
                                        rate.max() + 1,
                                        Duration.between(first, sorted.get(i)),
                                        first));
            }
        }
        return found;
    }

    /** The most that was ever held at once. */
    int peak(QuotaUse use) {
        return peaks.getOrDefault(use, 0);
    }

    /** The most starts that there were in any window of a quota. */
    int mostStarts(QuotaUse use) {
        var window = quota(use).rate().orElseThrow();
        var sorted = new ArrayList<>(starts.getOrDefault(use, List.of()));
        Collections.sort(sorted);
        int most = 0;
        int oldest = 0;
        for (int i = 0; i < sorted.size(); i++) {
            while (!sorted.get(i).isBefore(window.until(sorted.get(oldest)))) {
                oldest++;
            }
            most = Math.max(most, i - oldest + 1);
        }
        return most;
    }

    /** All that was ever counted against, in order. */
    Set<QuotaUse> seen() {
        return peaks.keySet();
    }

    @Override
    public String toString() {
        return "at most at once %s; %s".formatted(peaks, super.toString());
    }
}
