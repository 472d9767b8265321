package io.flowfabric.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.PageExample;
import io.flowfabric.testkit.VirtualClock;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What docs/explain.md says is so: an ordinary morning in the lane of the films. */
class ExplainPageTest {
    private static final Lane FILMS = Lane.of("films");
    private static final Attribution OLGA =
            new Attribution("olga", "the customer asked us to wait");

    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);
    private final ExplainExample example = new ExplainExample(store);
    private final Session worker =
            Session.of("renderer", "renderer-1", FILMS.name()).ttl(Duration.ofHours(1));
    private long claims;

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/testkit/memory/ExplainExample.java");

        assertThat(PageExample.shown(Path.of("../docs/explain.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_answers_on_the_page_are_what_is_answered() throws IOException {
        var shown = new StringBuilder();
        var failing = submit(Policy.DEFAULT);
        store.sessions().open(worker);
        var failed = claim();
        end(
                new Ending.Fail(
                        failed.fence(),
                        Failure.of(Failure.TRANSIENT, "no route to the licence server"),
                        new RetryDecision.TryAgain(Duration.ofMinutes(5))));
        shown.append(block(failing));

        var running = submit(Policy.DEFAULT);
        var lease = claim();
        pass(Duration.ofSeconds(5));
        store.sessions().heartbeat(List.of(Heartbeat.of(worker.id())));
        store.leases().progress(List.of(new Progress(lease.fence(), 40, "frame 960 of 2,400")));
        shown.append(block(running));

        var held = submit(Policy.DEFAULT.start(Due.in(Duration.ofHours(1))));
        store.operations().act(List.of(new OperatorCommand.Pause(held)), OLGA);
        shown.append(block(held));

        submit(Policy.DEFAULT.priority(10));
        var ready = submit(Policy.DEFAULT.deadline(Due.in(Duration.ofHours(8))));
        shown.append(block(ready));

        var needy = submit(Policy.DEFAULT.needs(Capabilities.of("gpu", "torch>=2.3")));
        shown.append(block(needy));
        shown.append(block(example.whatWaits(FILMS)));

        pass(Duration.ofMinutes(1));
        var paused = LaneSettings.DEFAULT.state(LaneSettings.State.PAUSED);
        store.lanes().configure(FILMS, paused, new Attribution("ben", "the disks are full"));
        shown.append(block(needy));

        store.operations()
                .act(
                        List.of(new OperatorCommand.Cancel(running)),
                        new Attribution("olga", "not needed"));
        shown.append(block(running));
        shown.append(block(example.whatWaits(FILMS)));

        var blocks = shown.toString();
        for (var block : blocks.split("(?<=```\n)\n", -1)) {
            assertThat(page()).contains(block);
        }
    }

    @Test
    void every_fact_is_in_the_table_on_the_page() throws IOException {
        var facts =
                Stream.of(Fact.class.getPermittedSubclasses())
                        .map(kind -> "| `%s` |".formatted(kind.getSimpleName()))
                        .toList();

        assertThat(page()).contains(facts);
    }

    private String block(ExecutionId execution) {
        return block(example.whyNot(execution));
    }

    private static String block(String text) {
        return "```\n%s\n```\n\n".formatted(text);
    }

    private ExecutionId submit(Policy policy) {
        var film = Submission.of("render", Payload.EMPTY).lane(FILMS).policy(policy);
        return store.submissions().submit(List.of(film)).getFirst().orThrow().id();
    }

    private Lease claim() {
        return store.claims().claim(new Claim(worker.id(), ++claims, 1)).leases().getFirst();
    }

    private void end(Ending ending) {
        store.leases().end(List.of(ending)).getFirst().orThrow();
    }

    private void pass(Duration step) {
        clock.advance(step);
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/explain.md"));
    }
}
