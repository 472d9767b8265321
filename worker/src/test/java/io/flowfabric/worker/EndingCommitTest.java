package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.engine.LogBook;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the log is told of endings that the store would not take, and what becomes of them. */
class EndingCommitTest {
    private final LogBook log = new LogBook();
    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final Committers<Assignment> endings =
            new Committers<>(
                    new EndingCommit(world.engine().leases(), world.engine().metrics(), log),
                    Time.SYSTEM,
                    "mailer",
                    () -> {});
    private final HandlerReports reports =
            new HandlerReports(world.engine().leases(), Time.SYSTEM, "worker");
    private final WorkerSession session =
            new WorkerSession(
                    world.engine(),
                    Session.of("mailer", "1", WorkerScenario.LANE.name()),
                    Map.of("welcome", task -> TaskResult.complete(Payload.text("done"))),
                    new Slots(
                            1,
                            new HandlerThreads(Thread.ofVirtual().factory(), Time.SYSTEM),
                            endings,
                            Time.SYSTEM),
                    endings,
                    reports);

    @BeforeEach
    void start() {
        endings.start();
        session.session().start();
    }

    @AfterEach
    void close() {
        endings.stop();
        session.session().stop();
        world.close();
    }

    @Test
    void an_end_that_the_store_cannot_take_becomes_another_one_until_there_is_none() {
        var name = ended(StoreFailure.refused("No such character.", new IllegalStateException()));

        eventually("it is settled", () -> session.assignments().isEmpty());
        assertThat(errors())
                .containsExactly(
                        "The store cannot take the end of %s as it is; it fails for good instead."
                                .formatted(name),
                        ("The store cannot take the end of %s as it is; its lease is given back"
                                        + " instead.")
                                .formatted(name),
                        "The store does not even take %s back; its lease ends with its session."
                                .formatted(name));
    }

    @Test
    void a_call_that_fails_for_every_end_settles_it_as_well() {
        world.hook(
                (call, real) -> {
                    if (call.equals("end")) {
                        throw new IllegalStateException("No such character.");
                    }
                    return real.call();
                });

        var name = taken();

        eventually("it is settled", () -> session.assignments().isEmpty());
        assertThat(errors())
                .hasSize(3)
                .last()
                .isEqualTo(
                        "The store does not even take %s back; its lease ends with its session."
                                .formatted(name));
    }

    @Test
    void an_end_that_the_store_refuses_is_dropped() {
        var name =
                ended(new Conflict(Conflict.Code.ENDED_DIFFERENTLY, "it", "It ended otherwise."));

        eventually("it is settled", () -> session.assignments().isEmpty());
        assertThat(errors())
                .containsExactly(
                        "The store refused the end of %s, which is dropped.".formatted(name));
    }

    /** Runs a handler whose end is refused, and returns how the log calls its work. */
    private String ended(FlowFabricException refusal) {
        world.hook(
                (call, real) ->
                        call.equals("end")
                                ? Collections.nCopies(real.size(), Answer.refused(refusal))
                                : real.call());
        return taken();
    }

    /** Runs a handler, and returns how the log calls its work. */
    private String taken() {
        world.submit("welcome");
        var lease = claimed();
        session.take(List.of(lease));
        return "%s of welcome".formatted(lease.fence());
    }

    private Lease claimed() {
        try {
            return session.session().claim(() -> 1, Duration.ofSeconds(10)).getFirst();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> errors() {
        return log.lines().stream()
                .filter(line -> line.level() == Level.ERROR)
                .map(LogBook.Line::text)
                .toList();
    }
}
