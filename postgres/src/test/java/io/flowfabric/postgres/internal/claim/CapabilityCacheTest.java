package io.flowfabric.postgres.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.internal.claim.CapabilityCache.Fit;

import org.junit.jupiter.api.Test;

import java.util.Set;

class CapabilityCacheTest {
    private final CapabilityCache cache = new CapabilityCache();
    private final SessionId session = SessionId.mint();

    @Test
    void what_was_judged_of_a_session_adds_up() {
        cache.remember(session, new Fit(Set.of(1), Set.of(2)));
        cache.remember(session, new Fit(Set.of(3), Set.of(4)));

        assertThat(cache.of(session)).isEqualTo(new Fit(Set.of(1, 3), Set.of(2, 4)));
    }

    @Test
    void of_another_session_nothing_is_known() {
        cache.remember(session, new Fit(Set.of(1), Set.of(2)));

        assertThat(cache.of(SessionId.mint())).isEqualTo(Fit.UNKNOWN);
    }

    @Test
    void everything_is_forgotten_together() {
        cache.remember(session, new Fit(Set.of(1), Set.of(2)));

        cache.forgetAll();

        assertThat(cache.of(session)).isEqualTo(Fit.UNKNOWN);
    }
}
