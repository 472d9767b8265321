package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.Placement;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A key that is held for work which lies elsewhere stays held for as long as that is stored. */
class HeldKeysTest {
    private static final Namespace BIG = new Namespace("big");
    private static final Lane LANE = new Lane(BIG, "default");
    private static final Lane GATHERED = new Lane(BIG, "gathered");
    private static final int PARTITIONS = 7;

    /** Keys, which are short, lead to another partition than ids, and neither to the main one. */
    private static final Placement KEYS_APART = (name, count) -> name.length == 1 ? 1 : 2;

    private static final Attribution OLGA = new Attribution("olga", "because");
    private static final Policy LIMITED = Policy.DEFAULT.quota("five");
    private static final Policy REFUSED = Policy.DEFAULT.quota("missing");

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "held-keys-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final VirtualClock clock = new VirtualClock();
    private final InterruptedWire wire = new InterruptedWire(redis.wire(keys));
    private final ValkeyStore store =
            new ValkeyStore(wire, Optional.empty(), Optional.of(clock), KEYS_APART);
    private final ValkeyStore other =
            new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.of(clock), KEYS_APART);

    @BeforeEach
    void spread() {
        store.spread(BIG, PARTITIONS);
        store.quotas().define(Quota.atOnce("five", 5).namespace(BIG), OLGA);
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        redis.forget(name);
    }

    @Test
    void a_key_is_held_for_an_id_that_was_refused_and_then_stored_by_the_same_call() {
        var refused = work().key("k").policy(REFUSED);
        var stored = refused.policy(LIMITED);

        var answers = store.submissions().submit(List.of(refused, stored));
        assertThatThrownBy(answers.getFirst()::orThrow).isInstanceOf(NotFound.class);
        assertThat(answers.getLast().orThrow()).isEqualTo(new Submitted(stored.id(), true));
        assertThatKeyIsUsedBy(stored);
    }

    @Test
    void a_key_is_held_for_an_id_that_another_caller_stored_while_it_was_refused() {
        var refused = work().key("k").policy(REFUSED);
        var stored = refused.policy(LIMITED);
        wire.before("give_up_key", 0, () -> offer(other, stored).orThrow());

        assertThatThrownBy(offer(store, refused)::orThrow).isInstanceOf(NotFound.class);
        assertThat(wire.happened()).isTrue();
        assertThatKeyIsUsedBy(stored);
    }

    @Test
    void a_key_is_held_for_work_whose_first_call_came_too_late() {
        var work = work().key("k").policy(LIMITED);
        // What is held by then is on its way for too long.
        wire.before(
                "sign",
                0,
                () -> {
                    clock.advance(Duration.ofSeconds(31));
                    offer(other, work).orThrow();
                });

        assertThatThrownBy(offer(store, work)::orThrow).isInstanceOf(Contended.class);
        assertThatKeyIsUsedBy(work);
    }

    @Test
    void a_call_that_fails_after_a_part_of_it_was_stored_may_have_been_applied() {
        var stored = work().key("k").policy(LIMITED);
        wire.cutBefore("hold_keys", 1);

        assertThatItMayBeApplied(List.of(stored, work().key("k").policy(LIMITED)));
        assertThat(offer(other, stored).orThrow().created()).isFalse();
    }

    @Test
    void what_was_stored_is_answered_also_when_a_key_of_other_work_cannot_be_given_up() {
        var refused = work().key("l").policy(REFUSED);
        var stored = work().key("k").policy(LIMITED);
        wire.cutBefore("give_up_key", 0);

        var answers = store.submissions().submit(List.of(refused, stored));
        assertThat(wire.happened()).isTrue();
        assertThatThrownBy(answers.getFirst()::orThrow).isInstanceOf(NotFound.class);
        assertThat(answers.getLast().orThrow().created()).isTrue();
        assertThatThrownBy(offer(store, work().key("l"))::orThrow).isInstanceOf(Contended.class);
        clock.advance(Duration.ofMinutes(1));
        assertThat(offer(store, work().key("l")).orThrow().created()).isTrue();
    }

    @Test
    void a_call_that_fails_for_work_of_a_gathered_lane_may_have_been_applied_to_that_of_others() {
        store.lanes().configure(GATHERED, LaneSettings.DEFAULT.quota("five"), OLGA);
        var stored = work().key("k");
        wire.cutBefore("hold_keys", 0);

        assertThatItMayBeApplied(List.of(stored, work().lane(GATHERED).key("l")));
        assertThat(offer(other, stored).orThrow().created()).isFalse();
    }

    private void assertThatItMayBeApplied(List<Submission> submissions) {
        assertThatThrownBy(() -> store.submissions().submit(submissions))
                .isInstanceOfSatisfying(
                        StoreFailure.class,
                        failure -> assertThat(failure.mayHaveApplied()).isTrue());
    }

    private void assertThatKeyIsUsedBy(Submission stored) {
        var another = work().key(stored.key().orElseThrow());
        assertThatThrownBy(() -> offer(other, another).orThrow())
                .isInstanceOf(Conflict.class)
                .hasMessageContaining(stored.id().toString());
    }

    private static Submission work() {
        return Submission.of("job", Payload.EMPTY).lane(LANE);
    }

    private static Answer<Submitted> offer(ValkeyStore store, Submission submission) {
        return store.submissions().submit(List.of(submission)).getFirst();
    }
}
