package io.flowfabric.core.admission;

import static io.flowfabric.core.Examples.NOON;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.policy.QuotaUse;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

class QuotaViewTest {
    private static final QuotaUse USE = QuotaUse.of("calls", "ada");
    private static final Quota BOTH = Quota.atOnce("calls", 3).rate(5, Duration.ofMinutes(1));

    private static QuotaView view(Quota quota, int running, int started) {
        return new QuotaView(quota, USE, running, started, Optional.empty());
    }

    @Test
    void it_is_full_when_as_many_run_as_may() {
        var most = Quota.atOnce("calls", 3);

        assertThat(view(most, 2, 100).open()).isTrue();
        assertThat(view(most, 2, 100).shut()).isEmpty();
        assertThat(view(most, 3, 0).open()).isFalse();
        assertThat(view(most, 3, 0).shut()).containsExactly(AdmissionBlock.Quota.CONCURRENCY);
        assertThat(view(most, 4, 0).open()).as("it was lowered since").isFalse();
    }

    @Test
    void it_is_full_when_as_many_have_started_as_may() {
        var rate = Quota.rate("calls", 5, Duration.ofMinutes(1));

        assertThat(view(rate, 100, 4).open()).isTrue();
        assertThat(view(rate, 100, 4).shut()).isEmpty();
        assertThat(view(rate, 0, 5).open()).isFalse();
        assertThat(view(rate, 0, 5).shut()).containsExactly(AdmissionBlock.Quota.RATE);
        assertThat(view(rate, 0, 6).open()).as("it was lowered since").isFalse();
    }

    @Test
    void a_quota_with_two_bounds_is_open_while_neither_is_reached() {
        assertThat(view(BOTH, 2, 4).open()).isTrue();
        assertThat(view(BOTH, 3, 4).open()).isFalse();
        assertThat(view(BOTH, 2, 5).open()).isFalse();
        assertThat(view(BOTH, 3, 5).shut())
                .containsExactlyInAnyOrder(
                        AdmissionBlock.Quota.CONCURRENCY, AdmissionBlock.Quota.RATE);
    }

    @Test
    void words_about_an_open_one_say_how_it_stands() {
        assertThat(view(BOTH, 2, 4).inWords()).isEqualTo("quota calls=ada: 2 running, 4 started");
        assertThat(
                        new QuotaView(
                                        Quota.atOnce("calls", 3),
                                        QuotaUse.of("calls"),
                                        2,
                                        0,
                                        Optional.empty())
                                .inWords())
                .isEqualTo("quota calls: 2 running, 0 started");
    }

    @Test
    void words_about_a_full_one_say_what_is_full_and_when_that_ends() {
        var opens = new QuotaView(BOTH, USE, 2, 5, Optional.of(NOON));

        assertThat(view(BOTH, 3, 5).inWords()).isEqualTo("quota calls=ada: 3 of 3 running");
        assertThat(view(BOTH, 2, 5).inWords())
                .isEqualTo("quota calls=ada: 5 of 5 started within PT1M");
        assertThat(opens.inWords())
                .isEqualTo("quota calls=ada: 5 of 5 started within PT1M, the next at " + NOON);
    }

    @Test
    void a_start_counts_for_one_window() {
        assertThat(new Quota.Rate(5, Duration.ofMinutes(1)).until(NOON))
                .isEqualTo(Instant.parse("2026-03-01T12:01:00Z"));
    }

    @Test
    void what_kept_work_waiting_is_told_in_one_word() {
        assertThat(AdmissionBlock.Quota.RATE.wire()).isEqualTo("rate");
        assertThat(AdmissionBlock.Quota.CONCURRENCY.wire()).isEqualTo("concurrency");
        assertThat(AdmissionBlock.Quota.CONCURRENCY).hasToString("quota concurrency");
        assertThat(new AdmissionBlock.Budget("tokens")).hasToString("budget tokens");
    }
}
