package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Idempotency keys in a namespace that is spread over several partitions. */
class SpreadKeysTest {
    private static final Namespace BIG = new Namespace("big");
    private static final Lane LANE = new Lane(BIG, "default");
    private static final int PARTITIONS = 20;
    private static final Attribution OLGA = new Attribution("olga", "because");

    /** Its work lies in the main partition, wherever the keys lead to. */
    private static final Policy LIMITED = Policy.DEFAULT.quota("five");

    private final TestRedis redis = TestRedis.oneNode();
    private final KeySpace keys = TestRedis.keys("spread-keys-" + UUID.randomUUID());
    private final VirtualClock clock = new VirtualClock();
    private final AtomicBoolean broken = new AtomicBoolean();
    private final ValkeyStore store =
            new ValkeyStore(
                    new PassedOnWire(redis.wire(keys)) {
                        @Override
                        public byte[] call(String function, Partition partition, byte[] request) {
                            if (function.equals("submit") && broken.get()) {
                                throw new StoreFailure(
                                        "The connection was cut.", false, new IOException("cut"));
                            }
                            return super.call(function, partition, request);
                        }
                    },
                    Optional.empty(),
                    Optional.of(clock));

    @BeforeEach
    void spread() {
        store.spread(BIG, PARTITIONS);
        store.quotas().define(Quota.atOnce("five", 5).namespace(BIG), OLGA);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void a_key_is_used_once_whether_the_work_counts_against_something_or_not() {
        for (int n = 0; n < 20; n++) {
            var key = "k" + n;
            boolean first = n % 2 == 0;
            var one = work().key(key).policy(first ? LIMITED : Policy.DEFAULT);
            var same = work().key(key).policy(first ? Policy.DEFAULT : LIMITED);
            var id = submit(one);

            assertThat(offer(work().key(key).policy(one.policy())).orThrow())
                    .isEqualTo(new Submitted(id, false));
            assertThatThrownBy(() -> offer(same).orThrow())
                    .isInstanceOf(Conflict.class)
                    .hasMessageContaining(id.toString());
        }
    }

    @Test
    void a_key_can_be_used_again_once_its_work_is_forgotten() {
        var brief = LIMITED.retention(Duration.ZERO);
        for (int n = 0; n < 10; n++) {
            var id = submit(work().key("k" + n).policy(brief));
            store.operations().act(List.of(new OperatorCommand.Cancel(id)), OLGA);
        }
        clock.advance(Duration.ofMillis(1));
        while (store.maintenance().tick(Chore.RETENTION, 100).more()) {
            // Until there is nothing left.
        }

        for (int n = 0; n < 10; n++) {
            submit(work().key("k" + n));
        }
    }

    @Test
    void a_key_that_was_held_for_work_which_never_came_is_given_up_after_a_while() {
        broken.set(true);
        var keys = Stream.iterate(0, n -> n + 1).limit(10).map(n -> "k" + n).toList();
        for (var key : keys) {
            var lost = work().key(key).policy(LIMITED);
            assertThatThrownBy(() -> offer(lost)).isInstanceOf(StoreFailure.class);
        }
        broken.set(false);

        int contended = 0;
        for (var key : keys) {
            var answer = offer(work().key(key));
            contended += answer.isDone() ? 0 : 1;
            if (answer instanceof Answer.Refused<Submitted>(var refusal)) {
                assertThat(refusal).isInstanceOf(Contended.class);
            }
        }
        assertThat(contended).isGreaterThan(5);

        clock.advance(Duration.ofMinutes(1));
        keys.forEach(key -> offer(work().key(key)).orThrow());
    }

    @Test
    void the_key_of_work_that_was_refused_is_free_at_once() {
        var missing = Policy.DEFAULT.quota("missing");
        for (int n = 0; n < 20; n++) {
            var refused = work().key("k" + n).policy(missing);
            assertThat(offer(refused).isDone()).isFalse();
            submit(work().key("k" + n));
        }
    }

    @Test
    void the_same_key_again_in_one_call_is_the_same_work_or_a_conflict() {
        var all = new ArrayList<Submission>();
        for (int n = 0; n < 20; n++) {
            var first = work().key("k" + n).policy(LIMITED);
            all.add(first);
            all.add(work().policy(LIMITED));
            all.add(first.id(ExecutionId.mint(BIG)));
            all.add(work().key("k" + n).policy(LIMITED).creator("another"));
            all.add(first);
        }

        var answers = store.submissions().submit(all);
        for (int n = 0; n < all.size(); n += 5) {
            var first = all.get(n).id();
            assertThat(answers.get(n).orThrow()).isEqualTo(new Submitted(first, true));
            assertThat(answers.get(n + 1).orThrow().created()).isTrue();
            assertThat(answers.get(n + 2).orThrow()).isEqualTo(new Submitted(first, false));
            assertThatThrownBy(answers.get(n + 3)::orThrow)
                    .isInstanceOf(Conflict.class)
                    .hasMessageContaining(first.toString());
            assertThat(answers.get(n + 4).orThrow()).isEqualTo(new Submitted(first, false));
        }
    }

    @Test
    void the_same_key_again_in_one_call_is_taken_when_the_first_was_refused() {
        for (int n = 0; n < 20; n++) {
            var refused = work().key("k" + n).policy(Policy.DEFAULT.quota("missing"));
            var taken = work().key("k" + n).policy(LIMITED);

            var answers = store.submissions().submit(List.of(refused, taken));
            assertThatThrownBy(answers.getFirst()::orThrow).isInstanceOf(NotFound.class);
            assertThat(answers.getLast().orThrow()).isEqualTo(new Submitted(taken.id(), true));
        }
    }

    @Test
    void a_key_stays_with_its_work_when_other_content_is_submitted_under_the_id_of_that() {
        for (int n = 0; n < 20; n++) {
            var first = work().key("k" + n).policy(LIMITED);
            submit(first);

            for (var other : List.of(first.creator("another"), first.key("other" + n))) {
                assertThatThrownBy(() -> offer(other).orThrow()).isInstanceOf(Conflict.class);
            }
            assertThat(offer(first.id(ExecutionId.mint(BIG))).orThrow())
                    .isEqualTo(new Submitted(first.id(), false));
            submit(work().key("other" + n));
        }
    }

    private static Submission work() {
        return Submission.of("job", Payload.EMPTY).lane(LANE);
    }

    private ExecutionId submit(Submission submission) {
        var submitted = offer(submission).orThrow();
        assertThat(submitted.created()).isTrue();
        return submitted.id();
    }

    private Answer<Submitted> offer(Submission submission) {
        return store.submissions().submit(List.of(submission)).getFirst();
    }
}
