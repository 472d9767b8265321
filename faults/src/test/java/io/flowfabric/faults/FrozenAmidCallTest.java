package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.DatabaseOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * A worker process that is stopped with SIGSTOP in the middle of a call, when the server has done
 * half of it and holds its locks (R1). The rest of the fleet goes on: work begins and ends, timers
 * fire, the work of another dead session comes back. What the stopped process held is taken over
 * within its time to live and a second.
 */
class FrozenAmidCallTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration PROMISED = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofSeconds(8);
    private static final Duration DELAY = Duration.ofMillis(500);
    private static final Duration A_MOMENT = Duration.ofMillis(200);

    /** The name of the process, and of a kind of work that nobody else handles until it is gone. */
    private static final String FROZEN = "frozen";

    private static final String ORPHAN = "orphan";
    private static final int HELD = 4;
    private static final int LARGE = 16;
    private static final int MEBIBYTE = 1 << 20;
    private static final Attribution OPERATOR = new Attribution("ada", "what we can afford");

    private final FaultScenario world = new FaultScenario();
    private Instant frozenAt = Instant.EPOCH;

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    @DisplayName("R1: a process that is frozen while it is sent a large claim holds up no other")
    void frozen_amid_a_claim_with_large_inputs() {
        // It takes little at a time, so that the server has to wait for it while it sends.
        var slowly =
                DatabaseOptions.of(
                        world.options().url() + "?receiveBufferSize=8192",
                        Objects.requireNonNull(world.options().user()),
                        Objects.requireNonNull(world.options().password()));
        var frozen =
                world.process(StoreAddress.of(slowly, world.schema()), FROZEN, TTL, HELD + LARGE, 1)
                        .awaitReady();
        var held = hold(frozen);
        startTheRest();

        var large = new ArrayList<ExecutionId>();
        Waiting.until(
                "it is frozen amid a claim",
                () -> {
                    large.addAll(FaultScenario.submit(world.watched(), largeWork()));
                    return freezes(frozen, "wait_event = 'ClientWrite'");
                });

        assertTheRestGoesOn();
        assertTakenOver(held);
        assertTakenOver(large);
        frozen.thaw();
        world.judge();
    }

    @Test
    @DisplayName("R1: a process that is frozen amid a sweep holds up no other")
    void frozen_amid_a_sweep() throws SQLException {
        world.store().quotas().define(Quota.atOnce("tenant", 100), OPERATOR);
        var frozen = world.process(FROZEN, TTL, HELD).awaitReady();
        var held = hold(frozen);
        // No other engine runs yet, so this one sweeps; what it returns counts against a meter.
        leaveToASessionThatDies(Policy.DEFAULT.quota("tenant"));
        try (var other = Servers.connect(world.options())) {
            lockMeters(other);
            Waiting.until("it sweeps", () -> freezes(frozen, "wait_event_type = 'Lock'"));
            startTheRest();
            other.rollback();
        }

        assertTheRestGoesOn();
        assertTakenOver(held);
        frozen.thaw();
        world.judge();
    }

    @Test
    @DisplayName("R1: a process that is frozen amid a usage report holds up no other")
    void frozen_amid_a_usage_report() throws SQLException {
        world.store().budgets().define(Budget.of("team", WorkerProgram.TOKENS, 1000), OPERATOR);
        var frozen = world.process(FROZEN, TTL, HELD + 1).awaitReady();
        var held = hold(frozen);
        startTheRest();
        List<ExecutionId> spending;
        try (var other = Servers.connect(world.options())) {
            lockMeters(other);
            var work = Submission.of(WorkerProgram.SPENDING, Payload.text("team 5"));
            spending =
                    FaultScenario.submit(world.watched(), List.of(work.lane(FaultScenario.LANE)));
            Waiting.until("it reports", () -> freezes(frozen, "wait_event_type = 'Lock'"));
            other.rollback();
        }

        assertTheRestGoesOn();
        assertTakenOver(held);
        assertTakenOver(spending);
        frozen.thaw();
        world.judge();
    }

    /** Work that the process holds on to. */
    private List<ExecutionId> hold(WorkerProcess frozen) {
        var held =
                FaultScenario.submit(
                        world.watched(),
                        FaultScenario.work(WorkerProgram.HOLD, HELD, Policy.DEFAULT));
        Waiting.until("it holds on to it", () -> frozen.begun().size() == HELD);
        return held;
    }

    private static List<Submission> largeWork() {
        return IntStream.range(0, LARGE)
                .mapToObj(
                        i ->
                                Submission.of(
                                        FROZEN,
                                        Payload.of(new byte[MEBIBYTE], "application/octet-stream")))
                .map(work -> work.lane(FaultScenario.LANE))
                .toList();
    }

    /** Work of a session that claims it and is not heard of again. */
    private ExecutionId leaveToASessionThatDies(Policy policy) {
        var session =
                Session.of("orphaned", UUID.randomUUID().toString(), FaultScenario.LANE.name())
                        .kinds(ORPHAN)
                        .ttl(Duration.ofSeconds(1));
        var store = world.watched();
        store.sessions().open(session);
        var ids = FaultScenario.submit(store, FaultScenario.work(ORPHAN, 1, policy));
        store.claims().claim(new Claims.Claim(session.id(), 1, 1));
        return ids.getFirst();
    }

    /** Stops the process; it goes on unless a connection of its was at this before and after. */
    private boolean freezes(WorkerProcess process, String doing) {
        for (int looks = 0; looks < 1000; looks++) {
            if (isAt(doing)) {
                process.freeze();
                frozenAt = Instant.now();
                Waiting.pause(A_MOMENT);
                if (isAt(doing)) {
                    return true;
                }
                process.thaw();
                return false;
            }
        }
        return false;
    }

    private boolean isAt(String doing) {
        return Servers.number(
                        world.options(),
                        "select count(*) from pg_stat_activity where application_name = '%s' and %s"
                                .formatted(WorkerProgram.applicationName(FROZEN), doing))
                > 0;
    }

    private void lockMeters(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            statement.execute("select 1 from %s.meter for update".formatted(world.schema()));
        }
    }

    private void startTheRest() {
        world.start(
                FaultScenario.worker(world.engine())
                        .name("rest")
                        .ttl(TTL)
                        .handle(FaultScenario.KIND, task -> Payload.text("done")));
    }

    /**
     * Work begins and ends, timers fire, and what another session left behind comes back: also when
     * the time of the frozen process is over, and all others want to end its session.
     */
    private void assertTheRestGoesOn() {
        startItsHeir();
        assertWorkGoesOn();
        Waiting.until(
                "its time is over", () -> Instant.now().isAfter(frozenAt.plus(TTL).plus(A_MOMENT)));
        assertWorkGoesOn();
    }

    private void startItsHeir() {
        world.start(
                FaultScenario.worker(world.engine())
                        .name("heir")
                        .ttl(TTL)
                        .concurrency(64)
                        .handle(WorkerProgram.HOLD, task -> Payload.text("done"))
                        .handle(WorkerProgram.SPENDING, task -> Payload.text("done"))
                        .handle(FROZEN, task -> Payload.text("done"))
                        .handle(ORPHAN, task -> Payload.text("done")));
    }

    private void assertWorkGoesOn() {
        var orphan = leaveToASessionThatDies(Policy.DEFAULT);
        var small = world.submit(20);
        var later =
                FaultScenario.submit(
                        world.watched(),
                        FaultScenario.work(
                                FaultScenario.KIND, 3, Policy.DEFAULT.start(Due.in(DELAY))));

        Waiting.until("small work ends", SOON, () -> small.stream().allMatch(this::ended));
        Waiting.until("delayed work ends", SOON, () -> later.stream().allMatch(this::ended));
        Waiting.until("work of the dead comes back", SOON, () -> ended(orphan));
        for (var id : later) {
            var due = world.steps(id, Transition.SUBMIT).getFirst().until().orElseThrow();
            assertThat(world.steps(id, Transition.WAKE).getFirst().at())
                    .isBefore(due.plus(PROMISED));
        }
    }

    private boolean ended(ExecutionId id) {
        return world.view(id).state().terminal();
    }

    private void assertTakenOver(List<ExecutionId> ids) {
        Waiting.until(
                "the heir has it", SOON, () -> ids.stream().allMatch(id -> taken(id).isPresent()));
        for (var id : ids) {
            assertThat(taken(id).orElseThrow().at()).isBefore(frozenAt.plus(TTL).plus(PROMISED));
        }
    }

    /** When the heir took it, or nobody has to because it had ended before. */
    private Optional<Event.Step> taken(ExecutionId id) {
        return world.store().queries().history(id).stream()
                .filter(Event.Step.class::isInstance)
                .map(Event.Step.class::cast)
                .filter(
                        step ->
                                step.owner().map(Owner::worker).filter("heir"::equals).isPresent()
                                        || step.now().terminal())
                .findFirst();
    }
}
