package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.engine.EngineMetrics.AdmissionCall;
import io.flowfabric.engine.EngineMetrics.Counted;
import io.flowfabric.engine.EngineMetrics.FencedCall;

import org.junit.jupiter.api.Test;

class EngineMetricsTest {
    /** Dashboards and alerts name them. */
    @Test
    void the_values_of_labels_do_not_change() {
        assertThat(FencedCall.values())
                .extracting(FencedCall::wire)
                .containsExactly(
                        "progress", "spend", "checkpoint", "open", "append", "end", "heartbeat");
        assertThat(AdmissionCall.values())
                .extracting(AdmissionCall::wire)
                .containsExactly("claim", "grant", "redeem");
        assertThat(Counted.values()).extracting(Counted::wire).containsExactly("quotas", "budgets");
    }
}
