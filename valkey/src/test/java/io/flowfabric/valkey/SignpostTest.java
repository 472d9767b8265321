package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What one process has opened or submitted is found by another that knows nothing but an id. */
class SignpostTest {
    private static final Lane ELSEWHERE = new Lane(new Namespace("elsewhere"), "default");

    /** A partition in which nothing of the default namespace lies. */
    private static final Partition FOREIGN =
            new Partition((Partition.of(Namespace.DEFAULT).number() + 1) % Partition.COUNT);

    private final KeySpace keys = TestRedis.keys("signpost-" + UUID.randomUUID());
    private final VirtualClock clock = new VirtualClock();
    private final ValkeyStore one = open();
    private final ValkeyStore other = open();
    private final Session session = Session.of("worker", "instance", "default");

    private ValkeyStore open() {
        return new ValkeyStore(
                TestRedis.oneNode().wire(keys), Optional.empty(), Optional.of(clock));
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
    }

    @Test
    void a_session_that_another_process_opened_beats_claims_and_ends() {
        one.sessions().open(session);
        submit(one, Submission.of("job", Payload.EMPTY));

        var beat = new Heartbeat(session.id(), 0, Set.of(), Heartbeat.DEFAULT_PATIENCE);
        assertThat(other.sessions().heartbeat(List.of(beat)).getFirst().isDone()).isTrue();
        assertThat(other.claims().claim(new Claim(session.id(), 1, 1)).leases()).hasSize(1);
        assertThat(other.workers().describe(session.id()).running()).isEqualTo(1);
        other.sessions().close(session.id());
        assertThat(one.workers().describe(session.id()).alive()).isFalse();
    }

    @Test
    void work_with_an_id_of_another_partition_is_found_by_all_processes() {
        var id = new ExecutionId(FOREIGN, UUID.randomUUID());
        submit(one, Submission.of("job", Payload.text("in")).id(id));

        assertThat(other.queries().describe(List.of(id)).getFirst().orThrow().id()).isEqualTo(id);
        assertThat(other.queries().inputs(List.of(id)).getFirst().orThrow())
                .isEqualTo(Payload.text("in"));
        assertThat(other.queries().explain(id).execution()).isEqualTo(id);
    }

    @Test
    void a_lease_of_work_with_an_id_of_another_partition_is_ended_by_another_process() {
        var id = new ExecutionId(FOREIGN, UUID.randomUUID());
        submit(one, Submission.of("job", Payload.EMPTY).id(id));
        one.sessions().open(session);
        var fence = one.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst().fence();

        var ending = new Ending.Complete(fence, Payload.EMPTY);
        assertThat(other.leases().end(List.of(ending)).getFirst().isDone()).isTrue();
        assertThat(one.queries().results(List.of(id)).getFirst().isDone()).isTrue();
    }

    @Test
    void an_id_is_used_once_whatever_partition_its_namespace_has() {
        var home = Partition.of(Namespace.DEFAULT);
        for (var id :
                List.of(
                        new ExecutionId(FOREIGN, UUID.randomUUID()),
                        new ExecutionId(home, UUID.randomUUID()))) {
            var first = Submission.of("job", Payload.EMPTY).id(id);
            submit(one, first);

            assertThatThrownBy(() -> submit(other, first.lane(ELSEWHERE)))
                    .isInstanceOf(Conflict.class);
            assertThat(found(Namespace.DEFAULT, id)).isTrue();
            assertThat(found(ELSEWHERE.namespace(), id)).isFalse();
        }
    }

    @Test
    void an_id_that_strays_into_a_namespace_is_not_free_where_it_leads() {
        var id = new ExecutionId(Partition.of(ELSEWHERE.namespace()), UUID.randomUUID());
        var first = Submission.of("job", Payload.EMPTY).id(id);
        submit(one, first);

        assertThatThrownBy(() -> submit(other, first.lane(ELSEWHERE))).isInstanceOf(Conflict.class);
    }

    @Test
    void the_id_of_a_session_is_used_once_in_all_namespaces() {
        one.sessions().open(session);

        assertThatThrownBy(() -> other.sessions().open(session.namespace(ELSEWHERE.namespace())))
                .isInstanceOf(Conflict.class);
        other.workers().markDead(session.id(), new Attribution("olga", "test"));
        assertThatThrownBy(() -> other.sessions().open(session.namespace(ELSEWHERE.namespace())))
                .isInstanceOf(NotFound.class);
    }

    @Test
    void the_id_of_a_forgotten_session_stays_dead_in_all_namespaces() {
        one.sessions().open(session);
        one.sessions().close(session.id());
        clock.advance(Duration.ofDays(12));
        one.maintenance().tick(Chore.RETENTION, 100);

        assertThatThrownBy(() -> one.workers().describe(session.id())).isInstanceOf(NotFound.class);
        for (var again : List.of(session, session.namespace(ELSEWHERE.namespace()))) {
            assertThatThrownBy(() -> other.sessions().open(again)).isInstanceOf(NotFound.class);
        }
    }

    @Test
    void an_id_that_was_erased_and_used_again_elsewhere_is_found_by_a_process_that_remembers_it() {
        var id = new ExecutionId(Partition.of(ELSEWHERE.namespace()), UUID.randomUUID());
        var submission = Submission.of("job", Payload.EMPTY).id(id);
        submit(one, submission);
        one.sessions().open(session);
        var fence = one.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst().fence();
        one.leases().end(List.of(new Ending.Complete(fence, Payload.EMPTY)));
        clock.advance(Duration.ofDays(40));
        other.maintenance().tick(Chore.RETENTION, 100);
        submit(other, submission.lane(ELSEWHERE));

        assertThat(one.queries().describe(List.of(id)).getFirst().orThrow().lane())
                .isEqualTo(ELSEWHERE);
        assertThat(one.queries().explain(id).execution()).isEqualTo(id);
    }

    @Test
    void work_that_is_submitted_again_where_it_strayed_to_is_found_by_all_processes() {
        var id = new ExecutionId(FOREIGN, UUID.randomUUID());
        var submission = Submission.of("job", Payload.EMPTY).id(id);
        submit(one, submission);
        one.sessions().open(session);
        var fence = one.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst().fence();
        one.leases().end(List.of(new Ending.Complete(fence, Payload.EMPTY)));
        clock.advance(Duration.ofDays(40));
        other.maintenance().tick(Chore.RETENTION, 100);
        submit(one, submission);

        assertThat(other.queries().describe(List.of(id)).getFirst().orThrow().id()).isEqualTo(id);
    }

    private boolean found(Namespace namespace, ExecutionId id) {
        var page = one.queries().search(Search.in(namespace), Cursor.START, 100);
        return page.items().stream().anyMatch(view -> view.id().equals(id));
    }

    private static void submit(ValkeyStore store, Submission submission) {
        store.submissions().submit(List.of(submission)).getFirst().orThrow();
    }
}
