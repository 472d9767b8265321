package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * An id belongs to one execution, whichever namespaces it is used in: also where the names of
 * several namespaces lead to one partition, and some of them are spread.
 */
class SharedIdsTest {
    private static final Namespace BIG = new Namespace("big");
    private static final Partition SHARED = Partition.of(BIG);

    /** Its name leads to the same partition. */
    private static final Namespace SMALL = named(it -> Partition.of(it).equals(SHARED), 0);

    /** The same. */
    private static final Namespace ANOTHER = named(it -> Partition.of(it).equals(SHARED), 1);

    /** Its name leads elsewhere. */
    private static final Namespace ELSEWHERE = named(it -> !Partition.of(it).equals(SHARED), 0);

    private static final int IDS = 12;

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "ids-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final ValkeyStore store = open();
    private final ValkeyStore other = open();

    private ValkeyStore open() {
        return new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.empty());
    }

    private static Namespace named(Predicate<Namespace> wanted, int skipped) {
        return Stream.iterate(0, n -> n + 1)
                .map(n -> new Namespace("namespace-" + n))
                .filter(wanted)
                .skip(skipped)
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        redis.forget(name);
    }

    @Test
    void an_id_that_is_used_in_a_spread_namespace_is_taken_in_all_others() {
        store.spread(BIG, 7);
        for (var id : ids()) {
            isTaken(id, BIG, List.of(SMALL, ELSEWHERE));
        }
    }

    @Test
    void an_id_that_is_used_elsewhere_is_taken_in_a_spread_namespace() {
        store.spread(BIG, 7);
        for (var id : ids()) {
            isTaken(id, SMALL, List.of(BIG, ELSEWHERE));
        }
        for (var id : ids()) {
            isTaken(id, ELSEWHERE, List.of(BIG, SMALL));
        }
    }

    @Test
    void an_id_is_used_once_in_two_spread_namespaces() {
        store.spread(BIG, 7);
        store.spread(ANOTHER, 5);
        for (var id : ids()) {
            isTaken(id, BIG, List.of(ANOTHER, SMALL));
        }
        for (var id : ids()) {
            isTaken(id, ANOTHER, List.of(BIG, SMALL));
        }
    }

    @Test
    void an_id_that_was_used_before_the_namespace_was_spread_stays_taken() {
        var used = ids();
        var strayed = ids();
        used.forEach(id -> submit(other, id, SMALL));
        strayed.forEach(id -> submit(other, id, ELSEWHERE));
        store.spread(BIG, 7);

        used.forEach(id -> isRefused(store, id, BIG));
        strayed.forEach(id -> isRefused(store, id, BIG));
        used.forEach(id -> isRefused(store, id, ELSEWHERE));
        used.forEach(id -> isFound(id, SMALL));
    }

    @Test
    void a_process_that_has_not_heard_of_the_spread_namespace_takes_no_id_that_is_used_there() {
        submit(other, ids().getFirst(), SMALL);
        submit(other, ids().getFirst(), ELSEWHERE);
        store.spread(BIG, 7);
        var used = ids();
        used.forEach(id -> submit(store, id, BIG));

        used.subList(0, 6).forEach(id -> isRefused(other, id, SMALL));
        used.subList(6, IDS).forEach(id -> isRefused(other, id, ELSEWHERE));
        used.forEach(id -> isFound(id, BIG));
    }

    @Test
    void a_large_call_of_a_process_that_has_not_heard_of_it_is_taken_whole_and_in_order() {
        submit(other, ids().getFirst(), SMALL);
        store.spread(BIG, 7);
        var used = ids();
        used.forEach(id -> submit(store, id, BIG));
        var all = new ArrayList<Submission>();
        for (int n = 0; n < 900; n++) {
            all.add(work(ExecutionId.mint(SMALL), SMALL));
        }
        all.set(100, work(used.getFirst(), SMALL));

        var answers = other.submissions().submit(all);
        assertThatThrownBy(() -> answers.get(100).orThrow()).isInstanceOf(Conflict.class);
        assertThat(Collections.frequency(answers.stream().map(it -> it.isDone()).toList(), true))
                .isEqualTo(899);
    }

    private void isTaken(ExecutionId id, Namespace first, List<Namespace> others) {
        submit(store, id, first);
        others.forEach(namespace -> isRefused(store, id, namespace));
        assertThat(store.submissions().submit(List.of(work(id, first))).getFirst().orThrow())
                .isEqualTo(new Submitted(id, false));
        isFound(id, first);
    }

    private static void submit(ValkeyStore store, ExecutionId id, Namespace namespace) {
        assertThat(store.submissions().submit(List.of(work(id, namespace))).getFirst().orThrow())
                .isEqualTo(new Submitted(id, true));
    }

    private static void isRefused(ValkeyStore store, ExecutionId id, Namespace namespace) {
        var answer = store.submissions().submit(List.of(work(id, namespace))).getFirst();
        assertThatThrownBy(answer::orThrow)
                .isInstanceOfSatisfying(
                        Conflict.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(Conflict.Code.ID_TAKEN));
    }

    private void isFound(ExecutionId id, Namespace namespace) {
        for (var one : List.of(store, other)) {
            var view = one.queries().describe(List.of(id)).getFirst().orThrow();
            assertThat(view.lane().namespace()).isEqualTo(namespace);
        }
    }

    private static List<ExecutionId> ids() {
        return Stream.generate(() -> ExecutionId.mint(BIG)).limit(IDS).toList();
    }

    private static Submission work(ExecutionId id, Namespace namespace) {
        return Submission.of("job", Payload.EMPTY).lane(new Lane(namespace, "default")).id(id);
    }
}
