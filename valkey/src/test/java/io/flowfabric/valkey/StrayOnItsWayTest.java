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

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** An id is used once, also while work is on its way to where its signpost leads. */
class StrayOnItsWayTest {
    private static final Lane HERE = Lane.of("default");
    private static final Lane ELSEWHERE = new Lane(new Namespace("tenant"), "default");

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "on-its-way-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final InterruptedWire wire = new InterruptedWire(redis.wire(keys));
    private final ValkeyStore store = new ValkeyStore(wire, Optional.empty(), Optional.empty());
    private final ValkeyStore other =
            new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.empty());

    @AfterEach
    void close() {
        store.close();
        other.close();
        redis.forget(name);
    }

    @Test
    void an_id_that_is_taken_where_it_leads_to_is_not_taken_by_work_on_its_way_elsewhere() {
        assertThatTheLaterIsRefused(Partition.of(ELSEWHERE.namespace()));
    }

    @Test
    void an_id_that_is_taken_by_way_of_a_signpost_is_not_taken_by_work_on_its_way_elsewhere() {
        int foreign = Partition.of(ELSEWHERE.namespace()).number() + 1;
        assertThatTheLaterIsRefused(new Partition(foreign % Partition.COUNT));
    }

    private void assertThatTheLaterIsRefused(Partition address) {
        var later =
                Submission.of("job", Payload.EMPTY)
                        .lane(HERE)
                        .id(new ExecutionId(address, UUID.randomUUID()));
        var sooner = later.lane(ELSEWHERE);
        wire.before(
                "submit",
                0,
                () ->
                        assertThat(submit(other, sooner))
                                .isEqualTo(new Submitted(sooner.id(), true)));

        assertThatThrownBy(() -> submit(store, later)).isInstanceOf(Conflict.class);
        assertThat(wire.happened()).isTrue();
        assertThat(countIn(HERE)).isZero();
        assertThat(countIn(ELSEWHERE)).isOne();
        var view = store.queries().describe(List.of(later.id())).getFirst().orThrow();
        assertThat(view.lane()).isEqualTo(ELSEWHERE);
    }

    private long countIn(Lane lane) {
        return redis.direct().hlen(keys.key(Partition.of(lane.namespace()), "execution"));
    }

    private static Submitted submit(ValkeyStore store, Submission submission) {
        return store.submissions().submit(List.of(submission)).getFirst().orThrow();
    }
}
