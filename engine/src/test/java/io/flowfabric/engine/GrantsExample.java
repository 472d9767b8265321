package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.store.Backend;

import java.time.Duration;
import java.util.List;

/** The code that docs/grants.md shows; {@link GrantsPageTest} compares, and runs it. */
final class GrantsExample {
    private final Backend engine;

    GrantsExample(Backend engine) {
        this.engine = engine;
    }

    // [PAGE
    /** In the process that is trusted: what the worker behind this session may do next. */
    List<String> tickets(SessionId worker, long number) {
        var claim = new Claim(worker, number, 10);
        return engine.grants().claimForWorker(claim, Grants.DEFAULT_TTL).grants().stream()
                .map(Grant::token)
                .toList();
    }

    // PAGE]

    // [PAGE
    /** For the worker: tickets in, leases out; what is wrong with a ticket is said of each. */
    List<Lease> leases(SessionId worker, long number, List<String> tickets) {
        return engine.grants().redeem(new Redemption(worker, number, tickets)).stream()
                .filter(Answer::isDone)
                .map(Answer::orThrow)
                .toList();
    }

    // PAGE]

    // [PAGE
    String look(SessionId worker, String ticket) {
        try {
            var grant = engine.grants().verify(worker, List.of(ticket)).getFirst().orThrow();
            return "good until " + grant.until();
        } catch (Denied refusal) {
            return refusal.code().wire();
        }
    }

    // PAGE]

    // [PAGE
    String goOnElsewhere(ExecutionId lapsed, SessionId chosen) {
        return engine.grants().reclaimForWorker(lapsed, chosen, Grants.DEFAULT_TTL).token();
    }

    // PAGE]

    // [PAGE
    KeyView everyQuarter() {
        return engine.keys()
                .rotate(Rotation.after(Duration.ofMinutes(1)), new Attribution("ada", "routine"));
    }

    KeyView atOnce() {
        return engine.keys()
                .rotate(Rotation.after(Duration.ZERO), new Attribution("ada", "it was leaked"));
    }

    // PAGE]
}
