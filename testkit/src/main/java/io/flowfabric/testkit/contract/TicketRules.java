package io.flowfabric.testkit.contract;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.BeforeEach;

import java.time.Duration;
import java.util.function.Supplier;

/** What rules about grants have in common. */
abstract class TicketRules extends Rules {
    static final Duration TTL = Grants.DEFAULT_TTL;
    static final Duration MINUTE = Duration.ofMinutes(1);

    TicketRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @BeforeEach
    void there_is_a_key() {
        world.store().keys().first();
    }

    int running(String quota) {
        return world.store().quotas().describe(Namespace.DEFAULT, QuotaUse.of(quota)).running();
    }

    int started(String quota) {
        return world.store().quotas().describe(Namespace.DEFAULT, QuotaUse.of(quota)).started();
    }
}
