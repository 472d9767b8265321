package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/** However large inputs and results are, no answer of a server is. */
class LargeInputsTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int COUNT = 20;

    private final String name = "large-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final Measured wire = new Measured(TestRedis.oneNode().wire(keys));
    private final ValkeyStore store = new ValkeyStore(wire, Optional.empty(), Optional.empty());
    private final Session session = Session.of("worker", "instance", "default");
    private final List<Submission> submissions = new ArrayList<>();
    private final List<Payload> inputs = new ArrayList<>();
    private final List<ExecutionId> ids = new ArrayList<>();

    /** The wire, with an eye on the size of what comes over it. */
    private static final class Measured extends PassedOnWire {
        private volatile int largest;

        Measured(Wire real) {
            super(real);
        }

        @Override
        byte[] passed(Partition partition, byte[] answer) {
            largest = Math.max(largest, answer.length);
            return answer;
        }
    }

    @BeforeEach
    void submit() {
        var random = new Random(1);
        for (int n = 0; n < COUNT; n++) {
            // Small ones, ones that are kept apart, and large ones.
            var bytes = new byte[n == 0 ? 10 : n == 1 ? 1000 : n == 2 ? 5000 : MEBIBYTE - n];
            random.nextBytes(bytes);
            var submission = Submission.of("job", Payload.of(bytes, "application/octet-stream"));
            submissions.add(submission);
            inputs.add(submission.input());
            ids.add(submission.id());
            store.submissions().submit(List.of(submission)).getFirst().orThrow();
        }
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        // One portion, and what goes around it.
        assertThat(wire.largest).isLessThan((int) Chunks.BYTES + 2 * MEBIBYTE);
        store.close();
        TestRedis.oneNode().forget(name);
    }

    @Test
    void a_claim_and_its_repeat_bring_all_inputs() {
        var claim = new Claim(session.id(), 1, COUNT);

        assertThat(store.claims().claim(claim).leases())
                .extracting(Lease::input)
                .containsExactlyElementsOf(inputs);
        assertThat(store.claims().claim(claim.again()).leases())
                .extracting(Lease::input)
                .containsExactlyInAnyOrderElementsOf(inputs);
    }

    @Test
    void repeated_submissions_are_known_without_their_inputs() {
        wire.largest = 0;
        assertThat(store.submissions().submit(submissions))
                .allMatch(answer -> !answer.orThrow().created());
        assertThat(wire.largest).isLessThan(MEBIBYTE);

        var changed = Submission.of("job", Payload.text("other")).id(submissions.getLast().id());
        assertThatThrownBy(() -> store.submissions().submit(List.of(changed)).getFirst().orThrow())
                .isInstanceOf(Conflict.class)
                .hasMessageContaining("input");
    }

    @Test
    void redeemed_grants_bring_all_inputs() {
        store.keys().rotate(Rotation.after(Duration.ofHours(1)), new Attribution("olga", "test"));
        var granted =
                store.grants()
                        .claimForWorker(new Claim(session.id(), 1, COUNT), Duration.ofMinutes(1));
        var tokens = granted.grants().stream().map(Grant::token).toList();

        for (int repeat = 0; repeat < 2; repeat++) {
            var leases = store.grants().redeem(new Redemption(session.id(), 2, tokens));
            assertThat(leases.stream().map(lease -> lease.orThrow().input()))
                    .containsExactlyElementsOf(inputs);
        }
    }

    @Test
    void a_lease_that_is_given_by_hand_brings_its_input() {
        var by = new Attribution("olga", "test");
        for (int repeat = 0; repeat < 2; repeat++) {
            var lease = store.operations().claim(ids.getLast(), session.id(), by);
            assertThat(lease.input()).isEqualTo(inputs.getLast());
        }
    }

    @Test
    void inputs_and_results_are_read_in_portions() {
        var leases = store.claims().claim(new Claim(session.id(), 1, COUNT)).leases();
        for (var lease : leases) {
            store.leases().end(List.of(new Ending.Complete(lease.fence(), lease.input())));
        }

        assertThat(store.queries().inputs(ids).stream().map(input -> input.orThrow()))
                .containsExactlyElementsOf(inputs);
        assertThat(
                        store.queries().results(ids).stream()
                                .map(result -> result.orThrow().result().orElseThrow()))
                .containsExactlyElementsOf(inputs);
    }
}
