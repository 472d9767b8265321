package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.engine.Engine;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/** The graphs and answers in docs/flows.md are those of flows that were run. */
class FlowDiagramsPageTest {
    private static final Pattern DIAGRAM =
            Pattern.compile("```mermaid\n(.*?)\n```", Pattern.DOTALL);

    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);
    private final Engine engine = new Engine(store);
    private final FlowsExample example = new FlowsExample();
    private final Session worker =
            Session.of("studio", "studio-1", "media").ttl(Duration.ofHours(1));
    private final Map<ExecutionId, Fence> begun = new HashMap<>();
    private long claims;

    @AfterEach
    void close() {
        store.close();
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/flows.md"));
    }

    /** A worker takes all that it can have, and some time passes. */
    private void work(int seconds) {
        var claim = new Claim(worker.id(), ++claims, 100);
        store.claims()
                .claim(claim)
                .leases()
                .forEach(lease -> begun.put(lease.fence().execution(), lease.fence()));
        clock.advance(Duration.ofSeconds(seconds));
    }

    private ExecutionId execution(FlowId flow, String name) {
        return store.flows().members(flow, Cursor.START, 100).items().stream()
                .filter(member -> member.name().equals(name))
                .map(MemberView::execution)
                .findFirst()
                .orElseThrow();
    }

    private Fence fence(FlowId flow, String name) {
        return Objects.requireNonNull(begun.get(execution(flow, name)), name);
    }

    private void complete(FlowId flow, String name) {
        end(new Ending.Complete(fence(flow, name), Payload.EMPTY));
    }

    private void end(Ending ending) {
        store.leases().end(List.of(ending)).forEach(Answer::orThrow);
    }

    @Test
    void the_page_shows_what_was_run() throws IOException {
        store.sessions().open(worker);
        var film = example.publish(engine, "casablanca");
        work(20);
        complete(film, "captions");
        work(40);
        complete(film, "here");
        work(10);
        var running = engine.flows().diagram(film);
        var why = engine.queries().explain(execution(film, "release")).words();
        assertThat(example.waiting(engine, film, "re")).containsExactly("release");
        work(20);
        complete(film, "video");
        work(5);
        complete(film, "release");
        var published = engine.flows().diagram(film);
        var path = example.whereTheTimeWent(engine, film, clock.instant());

        var nightly = example.nightly(engine);
        work(15);
        end(
                new Ending.Fail(
                        fence(nightly, "export"),
                        Failure.of(Failure.PERMANENT, "no such table"),
                        new RetryDecision.GiveUp()));
        work(2);
        complete(nightly, "report");

        assertThat(DIAGRAM.matcher(page()).results().map(block -> block.group(1)))
                .containsExactly(published, engine.flows().diagram(nightly), running);
        assertThat(page()).contains("```\n" + path + "\n```").contains("```\n" + why + "\n```");
    }
}
