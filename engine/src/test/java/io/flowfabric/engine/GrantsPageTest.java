package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.signing.GrantToken;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.PageExample;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

class GrantsPageTest {
    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);
    private final GrantsExample example = new GrantsExample(store);
    private final SessionId worker = session("resizer");

    @BeforeEach
    void there_is_a_key() {
        store.keys().first();
    }

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/engine/GrantsExample.java");

        // The sixth needs a database: KeyWrappingTest has it.
        assertThat(PageExample.shown(Path.of("../docs/grants.md")))
                .hasSize(6)
                .startsWith(PageExample.compiled(source).toArray(String[]::new));
        assertThat(PageExample.compiled(source)).hasSize(5);
    }

    @Test
    void tickets_become_leases_once() {
        var work = submitted();
        var tickets = example.tickets(worker, 1);

        assertThat(example.look(worker, tickets.getFirst()))
                .isEqualTo("good until " + clock.instant().plusSeconds(30));
        var leases = example.leases(worker, 2, tickets);

        assertThat(leases).extracting(lease -> lease.fence().execution()).containsExactly(work);
        assertThat(example.leases(worker, 2, tickets)).isEqualTo(leases);
        assertThat(example.leases(worker, 3, tickets)).isEmpty();
        assertThat(example.look(worker, tickets.getFirst())).isEqualTo("unknown_grant");
    }

    @Test
    void the_refusals_are_those_of_the_page() throws Exception {
        submitted();
        var ticket = example.tickets(worker, 1).getFirst();
        var page = Files.readString(Path.of("../docs/grants.md"));

        assertThat(page).contains(refused(worker, "nonsense", "malformed_token"));
        assertThat(page).contains(refused(session("thief"), ticket, "unknown_grant"));
        assertThat(page).contains(refused(worker, changed(ticket), "bad_signature"));
        clock.advance(Duration.ofSeconds(30));
        assertThat(page).contains(refused(worker, ticket, "token_expired"));
        example.atOnce();
        assertThat(page).contains(refused(worker, ticket, "unknown_key"));
    }

    @Test
    void a_rotation_leaves_a_minute_to_what_is_under_way() {
        submitted();
        var ticket = example.tickets(worker, 1).getFirst();

        assertThat(example.everyQuarter().retires()).isEmpty();

        assertThat(example.look(worker, ticket)).startsWith("good until");
        assertThat(store.keys().list()).hasSize(2);
    }

    @Test
    void a_chosen_worker_goes_on_with_what_another_left_behind() {
        var work = submitted();
        example.leases(worker, 2, example.tickets(worker, 1));
        store.sessions().close(worker);
        store.maintenance().tick(Chore.SESSIONS, 10);
        var chosen = session("sizer");

        var ticket = example.goOnElsewhere(work, chosen);

        assertThat(example.leases(chosen, 1, List.of(ticket))).hasSize(1);
    }

    private String refused(SessionId bearer, String ticket, String code) {
        assertThat(example.look(bearer, ticket)).isEqualTo(code);
        return "`" + code + "`";
    }

    /** The same ticket for a later grant. */
    private static String changed(String ticket) {
        var token = GrantToken.parse(ticket);
        return ticket.replace("." + token.epoch() + ".", "." + (token.epoch() + 1) + ".");
    }

    private ExecutionId submitted() {
        var work = Submission.of("resize", Payload.text("a picture"));
        return store.submissions().submit(List.of(work)).getFirst().orThrow().id();
    }

    private SessionId session(String name) {
        var session = Session.of(name, name + "-1", "default").ttl(Duration.ofHours(1));
        store.sessions().open(session);
        return session.id();
    }
}
