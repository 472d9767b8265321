package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** What it takes to list the open waitpoints of a lane. */
class WaitpointListingTest {
    /** As many as one execution may have. */
    private static final int MANY = 1000;

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "1", "default").ttl(Duration.ofHours(1));
    private long claims;

    @BeforeEach
    void open() {
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void what_ended_work_has_left_open_is_passed_over_once() {
        var ended = begun();
        openMany(ended, 30);
        store.leases().end(List.of(new Ending.Complete(ended, Payload.EMPTY)));
        fixture.execute(
                ("insert into %1$s.waitpoint select lane, opened - n, execution, name from"
                                + " %1$s.waitpoint, generate_series(1, 100) as n")
                        .formatted(fixture.schema().text()));
        fixture.advance(Duration.ofSeconds(1));
        var open = begun();
        openMany(open, 1);

        assertThat(list(10))
                .extracting(view -> view.at().execution())
                .containsExactly(open.execution());

        assertThat(rows()).isEqualTo(1);
        assertThat(list(10)).hasSize(1);
    }

    @Test
    void what_is_closed_leaves_the_listing_and_the_rest_stays() {
        var fence = begun();
        openMany(fence, 3);
        var closed = list(10).getFirst().at();
        store.signals()
                .close(List.of(closed), new Attribution("ada", "a test"))
                .forEach(Answer::orThrow);

        assertThat(rows()).isEqualTo(2);
        assertThat(list(10)).hasSize(2).noneMatch(view -> view.at().equals(closed));
    }

    @Test
    void the_record_of_an_execution_is_not_read_for_each_of_its_waitpoints() {
        openMany(begun(), 1);
        multiply();
        list(MANY);

        long before = allocated();
        assertThat(list(MANY)).hasSize(MANY);

        // Its record has about 60 KB; with a copy for each waitpoint it was more than 100 MB.
        assertThat(allocated() - before).isLessThan(30L << 20);
    }

    private static long allocated() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadAllocatedBytes();
    }

    private Fence begun() {
        store.submissions()
                .submit(List.of(Submission.of("work", Payload.EMPTY)))
                .forEach(Answer::orThrow);
        var claim = new Claim(session.id(), ++claims, 1);
        return store.claims().claim(claim).leases().getFirst().fence();
    }

    private void openMany(Fence fence, int many) {
        var asked =
                IntStream.range(0, many)
                        .mapToObj(n -> new OpenWaitpoint(fence, "waitpoint-" + n))
                        .toList();
        store.leases().open(asked).forEach(Answer::orThrow);
    }

    /** As if the one execution had opened as many as it may, which takes long one by one. */
    private void multiply() {
        var schema = fixture.schema().text();
        fixture.execute(
                """
                update %1$s.awaiting set body = (
                    select json_build_object(
                        'opened', count(*),
                        'places', json_object_agg('place-' || n, json_build_object('number', n, 'opened', p.opened)))::text
                    from %1$s.waitpoint p, generate_series(1, %2$d) as n)
                """
                        .formatted(schema, MANY));
        fixture.execute(
                """
                insert into %1$s.waitpoint
                select p.lane, p.opened, p.execution, 'place-' || n
                from %1$s.waitpoint p, generate_series(1, %2$d) as n
                """
                        .formatted(schema, MANY));
    }

    private List<WaitpointView> list(int max) {
        return store.signals()
                .waitpoints(Lane.DEFAULT, Optional.empty(), Cursor.START, max)
                .items();
    }

    private long rows() {
        return fixture.number(
                "select count(*) from %s.waitpoint".formatted(fixture.schema().text()));
    }
}
