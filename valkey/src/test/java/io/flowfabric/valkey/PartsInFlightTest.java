package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Large submissions, of which several parts are on their way at once. */
class PartsInFlightTest {
    private static final int MANY = 3400;

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "flight-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final WatchedWire wire = new WatchedWire(redis.wire(keys));
    private final ValkeyStore store = new ValkeyStore(wire, Optional.empty(), Optional.empty());

    /** What becomes of a part that is sent. */
    private enum Fate {
        DONE_AT_ONCE,
        /** It is refused at first, and done when it is made again: when its answer is wanted. */
        DONE_LATE,
        /** It is refused for good. */
        NOT_DONE
    }

    /** A wire that counts the parts on their way, and decides what becomes of them. */
    private static final class WatchedWire extends PassedOnWire {
        private int sent;
        private int flying;
        private int most;
        private int different = -1;
        private Fate fate = Fate.DONE_AT_ONCE;

        WatchedWire(Wire real) {
            super(real);
        }

        void decide(int part, Fate itsFate) {
            sent = 0;
            different = part;
            fate = itsFate;
        }

        @Override
        public Supplier<byte[]> send(String function, Partition partition, byte[] request) {
            boolean other = sent++ == different;
            flying++;
            most = Math.max(most, flying);
            var answer =
                    switch (other ? fate : Fate.DONE_AT_ONCE) {
                        case DONE_AT_ONCE -> super.send(function, partition, request);
                        case DONE_LATE ->
                                (Supplier<byte[]>) () -> call(function, partition, request);
                        case NOT_DONE ->
                                (Supplier<byte[]>)
                                        () -> {
                                            throw new StoreFailure(
                                                    "It is busy.", false, new IOException("busy"));
                                        };
                    };
            return () -> {
                flying--;
                return answer.get();
            };
        }
    }

    @AfterEach
    void close() {
        store.close();
        redis.forget(name);
    }

    @Test
    void several_parts_are_on_their_way_at_once_and_no_more_than_a_few() {
        var ids = ids(store.submissions().submit(work(MANY)));

        assertThat(wire.most).isEqualTo(3);
        assertThat(claimed(MANY)).isEqualTo(ids);
    }

    @Test
    void work_is_claimed_in_the_order_of_the_list_also_when_a_part_has_to_be_sent_again() {
        for (int part = 0; part < 4; part++) {
            wire.decide(part, Fate.DONE_LATE);
            var ids = ids(store.submissions().submit(work(MANY)));

            assertThat(claimed(MANY)).isEqualTo(ids);
        }
    }

    @Test
    void the_first_of_a_key_is_taken_also_when_its_part_has_to_be_sent_again() {
        var all = new ArrayList<>(work(MANY));
        var first = all.getFirst().key("k");
        all.set(0, first);
        all.set(MANY / 2, all.get(MANY / 2).key("k"));
        all.set(MANY - 1, all.get(MANY - 1).key("k").creator("another"));
        wire.decide(0, Fate.DONE_LATE);

        var answers = store.submissions().submit(all);
        assertThat(answers.getFirst().orThrow()).isEqualTo(new Submitted(first.id(), true));
        assertThat(answers.get(MANY / 2).orThrow()).isEqualTo(new Submitted(first.id(), false));
        assertThatThrownBy(() -> answers.getLast().orThrow()).isInstanceOf(Conflict.class);
        assertThat(answers.stream().filter(Answer::isDone)).hasSize(MANY - 1);
    }

    @Test
    void nothing_is_stored_of_what_follows_a_part_that_was_not_done() {
        wire.decide(0, Fate.NOT_DONE);
        var all = work(MANY);

        assertThatThrownBy(() -> store.submissions().submit(all))
                .matches(failure -> !mayBeApplied(failure));
        assertThat(store.queries().counts(Namespace.DEFAULT)).isEmpty();
        assertThat(ids(store.submissions().submit(all))).hasSize(MANY).doesNotHaveDuplicates();
        assertThat(claimed(MANY)).isEqualTo(all.stream().map(Submission::id).toList());
    }

    @Test
    void a_call_of_which_a_later_part_was_not_done_may_have_been_applied_and_can_be_repeated() {
        wire.decide(2, Fate.NOT_DONE);
        var all = work(MANY);

        assertThatThrownBy(() -> store.submissions().submit(all))
                .matches(PartsInFlightTest::mayBeApplied);
        wire.decide(-1, Fate.DONE_AT_ONCE);
        var created =
                store.submissions().submit(all).stream()
                        .map(answer -> answer.orThrow().created())
                        .toList();
        assertThat(created).startsWith(false).endsWith(true).isSorted();
        assertThat(claimed(MANY)).isEqualTo(all.stream().map(Submission::id).toList());
    }

    @Test
    void a_part_for_another_partition_that_was_not_done_does_not_hide_what_was() {
        var tenant = new Lane(new Namespace("tenant"), "default");
        var first = Submission.of("job", Payload.EMPTY).lane(tenant);
        wire.decide(0, Fate.NOT_DONE);
        var both = Stream.concat(Stream.of(first), work(1).stream()).toList();

        assertThatThrownBy(() -> store.submissions().submit(both))
                .matches(PartsInFlightTest::mayBeApplied);
        assertThat(store.queries().counts(Namespace.DEFAULT).get(Lane.DEFAULT))
                .containsEntry(PublicState.WAITING, 1L);
        assertThat(store.queries().search(Search.in(tenant.namespace()), Cursor.START, 10).items())
                .isEmpty();
    }

    private static boolean mayBeApplied(Throwable failure) {
        return failure instanceof StoreFailure lost && lost.mayHaveApplied();
    }

    private static List<Submission> work(int count) {
        return Stream.generate(() -> Submission.of("job", Payload.EMPTY)).limit(count).toList();
    }

    private static List<ExecutionId> ids(List<Answer<Submitted>> answers) {
        return answers.stream().map(answer -> answer.orThrow().id()).toList();
    }

    private List<ExecutionId> claimed(int count) {
        var session = Session.of("worker", UUID.randomUUID().toString(), "default");
        store.sessions().open(session);
        return IntStream.rangeClosed(1, count / 200)
                .mapToObj(number -> new Claim(session.id(), number, 200))
                .flatMap(claim -> store.claims().claim(claim).leases().stream())
                .map(lease -> lease.fence().execution())
                .toList();
    }
}
