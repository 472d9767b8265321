package io.flowfabric.postgres;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.store.Backend;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.util.Map;

/** The code that docs/quotas.md shows; {@link QuotaPageTest} compares, and runs it. */
final class QuotaExample {
    private final Backend engine;

    QuotaExample(Backend engine) {
        this.engine = engine;
    }

    // [PAGE
    void define() {
        var ada = new Attribution("ada", "what our contracts say");
        engine.quotas().define(Quota.atOnce("customer", 5), ada);
        engine.quotas().define(Quota.rate("geocoder", 100, Duration.ofMinutes(1)), ada);
        engine.quotas().define(Quota.atOnce("gpu", 8).rate(1000, Duration.ofHours(1)), ada);
    }

    // PAGE]

    // [PAGE
    ExecutionId locate(String customer, String address) {
        var policy = Policy.DEFAULT.quota("customer", customer).quota("geocoder");
        var work = Submission.of("locate", Payload.text(address)).policy(policy);
        return engine.submit(work).id();
    }

    // PAGE]

    // [PAGE
    void boundTheLane() {
        var ada = new Attribution("ada", "one contract for all of it");
        var lane = Lane.of("geocoding");
        var settings = LaneSettings.DEFAULT.quota("gpu").budget("team", Map.of("tokens", 500L));
        engine.lanes().configure(lane, settings, ada);
    }

    // PAGE]

    // [PAGE
    String look(String customer) {
        var view = engine.quotas().describe(Namespace.DEFAULT, QuotaUse.of("customer", customer));
        return view.open() ? "open, %d running".formatted(view.running()) : view.inWords();
    }
    // PAGE]
}
