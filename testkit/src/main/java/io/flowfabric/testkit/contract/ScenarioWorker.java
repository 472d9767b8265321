package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.asked;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.ClaimedForWorker;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** A worker process: a session of its own, and claims that it numbers itself. */
final class ScenarioWorker {
    private final Store store;
    private final Session session;
    private long lastClaim;

    private ScenarioWorker(Store store, Session session) {
        this.store = store;
        this.session = session;
    }

    static ScenarioWorker open(Store store, Session session) {
        store.sessions().open(session);
        return new ScenarioWorker(store, session);
    }

    Session session() {
        return session;
    }

    Owner owner() {
        return new Owner(session.id(), session.worker(), session.instance());
    }

    /** A claim of its own number. */
    List<Lease> claim(int max) {
        return claim(++lastClaim, max);
    }

    /** A claim of its own number, with what it met. */
    Claimed ask(int max) {
        return ask(++lastClaim, max);
    }

    Claimed ask(long number, int max) {
        lastClaim = Math.max(lastClaim, number);
        return store.claims().claim(new Claim(session.id(), number, max));
    }

    /** The last claim once more, as after a lost answer. */
    List<Lease> repeatClaim(int max) {
        return store.claims().claim(new Claim(session.id(), lastClaim, max).again()).leases();
    }

    List<Lease> claim(long number, int max) {
        lastClaim = Math.max(lastClaim, number);
        return store.claims().claim(new Claim(session.id(), number, max)).leases();
    }

    /** A claim that gets one lease. */
    Lease claimOne() {
        var leases = claim(1);
        assertThat(leases).as("what a worker is given").hasSize(1);
        return leases.getFirst();
    }

    /**
     * Which executions a worker gets at once, in the order in which it gets them: by one claim, or
     * by several where the store says that there is more.
     */
    List<ExecutionId> take(int max) {
        var taken = new ArrayList<ExecutionId>();
        boolean more = true;
        while (more && taken.size() < max) {
            var claimed = ask(max - taken.size());
            claimed.leases().forEach(lease -> taken.add(Given.idOf(lease)));
            more = claimed.more();
        }
        return taken;
    }

    /** The same, from as many claims of one lease each. */
    List<ExecutionId> takeOneByOne(int claims) {
        return IntStream.range(0, claims).mapToObj(i -> Given.idOf(claimOne())).toList();
    }

    /** Grants of its own number, given out for it. */
    List<Grant> granted(int max, Duration ttl) {
        return granted(++lastClaim, max, ttl);
    }

    /** The last ones once more, as after a lost answer. */
    List<Grant> repeatGranted(int max, Duration ttl) {
        return store.grants()
                .claimForWorker(new Claim(session.id(), lastClaim, max).again(), ttl)
                .grants();
    }

    List<Grant> granted(long number, int max, Duration ttl) {
        return askForGrants(number, max, ttl).grants();
    }

    /** What comes of a claim for it, by its own number. */
    ClaimedForWorker askForGrants(int max) {
        return askForGrants(++lastClaim, max, Grants.DEFAULT_TTL);
    }

    private ClaimedForWorker askForGrants(long number, int max, Duration ttl) {
        lastClaim = Math.max(lastClaim, number);
        return store.grants().claimForWorker(new Claim(session.id(), number, max), ttl);
    }

    /** One grant, for as long as grants hold by default. */
    Grant grantedOne() {
        var grants = granted(1, Grants.DEFAULT_TTL);
        assertThat(grants).as("what a worker is granted").hasSize(1);
        return grants.getFirst();
    }

    Answer<Lease> redeem(Grant grant) {
        return redeem(++lastClaim, grant);
    }

    Answer<Lease> redeem(long number, Grant grant) {
        lastClaim = Math.max(lastClaim, number);
        return redeemAll(number, List.of(grant.token())).getFirst();
    }

    List<Answer<Lease>> redeemAll(List<String> tokens) {
        return redeemAll(++lastClaim, tokens);
    }

    private List<Answer<Lease>> redeemAll(long number, List<String> tokens) {
        return store.grants().redeem(new Redemption(session.id(), number, tokens));
    }

    Answer<Grant> verify(String token) {
        return store.grants().verify(session.id(), List.of(token)).getFirst();
    }

    Answer<Grant> reclaim(ExecutionId execution) {
        return asked(
                () -> store.grants().reclaimForWorker(execution, session.id(), Grants.DEFAULT_TTL));
    }

    Answer<HeartbeatResult> beat(Fence... held) {
        return beat(0, held);
    }

    Answer<HeartbeatResult> beat(long acknowledged, Fence... held) {
        var heartbeat = new Heartbeat(session.id(), acknowledged, Set.of(held));
        return store.sessions().heartbeat(List.of(heartbeat)).getFirst();
    }

    void close() {
        store.sessions().close(session.id());
    }
}
