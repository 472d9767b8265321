package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.PageExample;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

class OperatePageTest {
    private static final Lane BILLING = new Lane(OperateExample.SHOP, "billing");
    private static final Attribution GRACE = new Attribution("grace", "to see what happens");

    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);
    private final List<String> shown = new ArrayList<>();
    private final OperateExample example = new OperateExample(store, shown::add);

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/engine/OperateExample.java");

        assertThat(PageExample.shown(Path.of("../docs/operate.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void failures_are_found_the_newest_first() {
        var old = failed("dk");
        clock.advance(Duration.ofHours(1));
        var moment = clock.instant();
        var first = failed("dk");
        failed("se");
        submitted("dk");
        clock.advance(Duration.ofHours(1));
        var second = failed("dk");

        assertThat(example.failuresSince(moment))
                .extracting(ExecutionView::id)
                .containsExactly(second, first);
        assertThat(example.failuresSince(Instant.EPOCH))
                .extracting(ExecutionView::id)
                .contains(old);
    }

    @Test
    void a_lane_that_is_closed_takes_no_more_and_gives_out_what_it_has() {
        submitted("dk");

        example.closeForTheNight(BILLING);

        assertThat(shown).containsExactly("billing {WAITING=1}");
        assertThatExceptionOfType(Denied.class).isThrownBy(() -> submitted("dk"));
    }

    @Test
    void shops_take_turns_in_a_lane_that_shares() {
        submitted("dk");
        example.takeTurns(BILLING);
        for (String shop : List.of("toys", "toys", "toys", "books")) {
            var charge = example.charge(shop, "order of " + shop).lane(BILLING);
            store.submissions().submit(List.of(charge)).getFirst().orThrow();
        }
        var session = session("pod-1");

        assertThat(store.claims().claim(new Claims.Claim(session.id(), 1, 5)).leases())
                .extracting(lease -> lease.input().asText())
                .endsWith("order of toys", "order of books", "order of toys", "order of toys");
    }

    @Test
    void an_order_is_cancelled_and_again_is_no_error() {
        var order = submitted("dk");

        example.cancel(order);
        example.cancel(order);

        assertThat(shown).containsExactly("cancelled", "cancelled");
    }

    @Test
    void what_failed_in_a_span_of_time_is_replayed_once() throws Exception {
        var before = failed("dk");
        clock.advance(Duration.ofMinutes(10));
        var from = clock.instant();
        var broken = List.of(failed("dk"), failed("se"));
        clock.advance(Duration.ofMinutes(10));
        var to = clock.instant();

        example.replayWhatTheOutageBroke(from, to);
        // What fails anew meanwhile failed after the outage.
        fail(broken.getFirst());
        example.replayWhatTheOutageBroke(from, to);

        assertThat(shown)
                .containsExactly(
                        "would replay 2",
                        "replayed 2",
                        "done 2, passed over 0",
                        "would replay 0",
                        "done 0, passed over 0");
        assertThat(state(before)).isEqualTo(PublicState.FAILED);
        assertThat(state(broken.getLast())).isEqualTo(PublicState.WAITING);
    }

    @Test
    void a_worker_that_is_gone_is_marked_dead_and_others_are_not() {
        var gone = session("pod-1");
        var here = session("pod-2");

        example.buryOneThatIsGone("pod-1");

        assertThat(store.workers().describe(gone.id()).alive()).isFalse();
        assertThat(store.workers().describe(here.id()).alive()).isTrue();
    }

    @Test
    void what_has_ended_already_is_kept_for_a_month_too_unless_it_is_erased() {
        var kept = failed("dk");
        var erased = failed("dk");

        example.keepForAMonth();
        example.forget(erased);

        clock.advance(Duration.ofDays(29));
        store.maintenance().tick(Chore.RETENTION, 100);
        assertThat(state(kept)).isEqualTo(PublicState.FAILED);
        assertThatExceptionOfType(NotFound.class).isThrownBy(() -> state(erased));
        clock.advance(Duration.ofDays(1));
        store.maintenance().tick(Chore.RETENTION, 100);
        assertThatExceptionOfType(NotFound.class).isThrownBy(() -> state(kept));
    }

    private ExecutionId submitted(String country) {
        var work = Submission.of("charge", Payload.EMPTY).lane(BILLING).tag("country", country);
        return store.submissions().submit(List.of(work)).getFirst().orThrow().id();
    }

    private ExecutionId failed(String country) {
        var id = submitted(country);
        fail(id);
        return id;
    }

    private void fail(ExecutionId id) {
        var fail = new OperatorCommand.Fail(id, Failure.of("permanent", "no answer from the bank"));
        store.operations().act(List.of(fail), GRACE).getFirst().orThrow();
    }

    private Session session(String instance) {
        var session = Session.of("biller", instance, BILLING.name()).namespace(OperateExample.SHOP);
        store.sessions().open(session);
        return session;
    }

    private PublicState state(ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().orThrow().state().publicState();
    }
}
