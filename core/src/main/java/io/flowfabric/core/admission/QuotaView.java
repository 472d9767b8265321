package io.flowfabric.core.admission;

import io.flowfabric.core.policy.QuotaUse;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A quota as it stands, for one key or for what has none.
 *
 * @param running how much of it runs now
 * @param started how many starts count now
 * @param opens when the oldest of them no longer counts, while the rate is full
 */
public record QuotaView(
        Quota quota, QuotaUse use, int running, int started, Optional<Instant> opens) {

    /** Whether work may start now. */
    public boolean open() {
        return quota.concurrency().map(most -> running < most).orElse(true)
                && quota.rate().map(rate -> started < rate.max()).orElse(true);
    }

    /** What is full. */
    public Stream<AdmissionBlock.Quota> shut() {
        return Stream.concat(
                quota.concurrency().stream()
                        .filter(most -> running >= most)
                        .map(most -> AdmissionBlock.Quota.CONCURRENCY),
                quota.rate().stream()
                        .filter(rate -> started >= rate.max())
                        .map(rate -> AdmissionBlock.Quota.RATE));
    }

    /** What is full, in words. */
    public String inWords() {
        var full =
                quota.concurrency()
                        .filter(most -> running >= most)
                        .map(most -> "%d of %d running".formatted(running, most))
                        .or(
                                () ->
                                        quota.rate()
                                                .filter(rate -> started >= rate.max())
                                                .map(this::rateInWords));
        return "quota %s: %s"
                .formatted(use, full.orElse("%d running, %d started".formatted(running, started)));
    }

    private String rateInWords(Quota.Rate rate) {
        return "%d of %d started within %s%s"
                .formatted(
                        started,
                        rate.max(),
                        rate.window(),
                        opens.map(at -> ", the next at " + at).orElse(""));
    }
}
