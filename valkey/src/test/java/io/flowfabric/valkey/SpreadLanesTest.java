package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Lanes of a namespace that is spread over several partitions, and how they are changed. */
class SpreadLanesTest {
    private static final Namespace BIG = new Namespace("big");
    private static final Lane LANE = new Lane(BIG, "default");
    private static final int PARTITIONS = 7;
    private static final Attribution OLGA = new Attribution("olga", "because");
    private static final LaneSettings PAUSED =
            LaneSettings.DEFAULT.state(LaneSettings.State.PAUSED);
    private static final LaneSettings LIMITED = LaneSettings.DEFAULT.quota("five");

    /** Longer than a change may take. */
    private static final Duration TOO_LONG = Duration.ofSeconds(31);

    private final TestRedis redis = TestRedis.oneNode();
    private final KeySpace keys = TestRedis.keys("lanes-" + UUID.randomUUID());
    private final VirtualClock clock = new VirtualClock();
    private final ValkeyStore other =
            new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.of(clock));
    private final Interruption interruption = new Interruption();
    private final ValkeyStore store =
            new ValkeyStore(
                    new PassedOnWire(redis.wire(keys)) {
                        @Override
                        public byte[] call(String function, Partition partition, byte[] request) {
                            interruption.before(function, partition, request);
                            return super.call(function, partition, request);
                        }
                    },
                    Optional.empty(),
                    Optional.of(clock));
    private final Session session =
            Session.of("worker", "instance", "default").namespace(BIG).ttl(Duration.ofHours(1));
    private int claims;

    /** Cuts a process off before one of its calls, and keeps what was not sent. */
    private static final class Interruption {
        @SuppressWarnings("ArrayRecordComponent") // It is sent later, never compared.
        private record Unsent(String function, Partition partition, byte[] request) {}

        private final List<Unsent> unsent = new ArrayList<>();
        private String function = "";
        private int spared;
        private Runnable instead = () -> {};

        /** The connection is cut before all calls of a function but so many. */
        void cutBefore(String itsFunction, int itsSpared) {
            function = itsFunction;
            spared = itsSpared;
            instead =
                    () -> {
                        throw new StoreFailure(
                                "The connection was cut.", false, new IOException("cut"));
                    };
        }

        /** Something happens before the next call of a function. */
        void before(String itsFunction, Runnable happens) {
            function = itsFunction;
            spared = 0;
            instead =
                    () -> {
                        none();
                        happens.run();
                    };
        }

        void none() {
            function = "";
        }

        void before(String called, Partition partition, byte[] request) {
            if (called.equals(function) && spared-- <= 0) {
                unsent.add(new Unsent(called, partition, request));
                instead.run();
            }
        }
    }

    @BeforeEach
    void spread() {
        store.spread(BIG, PARTITIONS);
        store.quotas().define(Quota.atOnce("five", 5).namespace(BIG), OLGA);
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
    }

    @Test
    void settings_of_a_lane_that_are_refused_leave_all_partitions_as_they_were() {
        var unknown = LaneSettings.DEFAULT.quota("unknown").state(LaneSettings.State.DRAINING);
        assertThatThrownBy(() -> store.lanes().configure(LANE, unknown, OLGA))
                .isInstanceOf(NotFound.class);
        assertThatThrownBy(() -> store.lanes().describe(LANE)).isInstanceOf(NotFound.class);

        // In one partition, and so not in the others.
        submit(work().key("k"));
        var before = occupied();
        assertThat(before).isEqualTo(1);
        var draining = LIMITED.state(LaneSettings.State.DRAINING);
        assertThatThrownBy(() -> store.lanes().configure(LANE, draining, OLGA))
                .isInstanceOf(Conflict.class);
        submitMany();
        assertThat(occupied()).isEqualTo(PARTITIONS);
        assertThat(store.lanes().describe(LANE).settings()).isEqualTo(LaneSettings.DEFAULT);
        assertThat(store.maintenance().nextDue(TOO_LONG)).isEmpty();
    }

    @Test
    void older_settings_of_a_lane_do_not_come_after_newer_ones() {
        submitMany();
        interruption.cutBefore("pass_on_lane", 0);
        for (int n = 0; n < PARTITIONS; n++) {
            // Each is held up before another partition.
            interruption.spared = n;
            int weight = n + 2;
            var older = LaneSettings.DEFAULT.weight(weight);
            if (n < PARTITIONS - 1) {
                assertThatThrownBy(() -> store.lanes().configure(LANE, older, OLGA))
                        .isInstanceOf(StoreFailure.class);
            }
        }
        other.lanes().configure(LANE, PAUSED, OLGA);

        assertThat(interruption.unsent).hasSize(PARTITIONS - 1);
        try (var wire = redis.wire(keys)) {
            for (var late : interruption.unsent) {
                wire.call(late.function, late.partition, late.request);
            }
        }
        assertThat(claimed()).isZero();
    }

    @Test
    void a_change_whose_process_died_half_way_is_finished() {
        submitMany();
        interruption.cutBefore("pass_on_lane", 2);
        assertThatThrownBy(() -> store.lanes().configure(LANE, PAUSED, OLGA))
                .isInstanceOfSatisfying(
                        StoreFailure.class, it -> assertThat(it.mayHaveApplied()).isTrue());
        interruption.none();
        // The main partition and two others: the rest goes on.
        assertThat(claimed()).isBetween(1, 59);
        submitMany();

        assertThat(other.maintenance().nextDue(TOO_LONG)).isPresent();
        clock.advance(TOO_LONG);
        assertThat(other.maintenance().tick(Chore.TIMERS, 100).errors()).isZero();

        assertThat(claimed()).isZero();
        assertThat(other.maintenance().nextDue(TOO_LONG)).isEmpty();
        store.lanes().configure(LANE, LaneSettings.DEFAULT, OLGA);
        assertThat(claimed()).isGreaterThan(59);
    }

    @Test
    void a_change_that_cannot_be_finished_yet_is_finished_later() {
        submitMany();
        interruption.cutBefore("pass_on_lane", 2);
        assertThatThrownBy(() -> store.lanes().configure(LANE, PAUSED, OLGA))
                .isInstanceOf(StoreFailure.class);
        clock.advance(TOO_LONG);
        interruption.spared = 4;
        assertThat(store.maintenance().tick(Chore.TIMERS, 100).errors()).isOne();
        assertThat(store.maintenance().tick(Chore.TIMERS, 100).errors()).isZero();
        assertThat(claimed()).isPositive();

        interruption.none();
        clock.advance(TOO_LONG);
        store.maintenance().tick(Chore.TIMERS, 100);
        submitMany();
        assertThat(claimed()).isZero();
    }

    @Test
    void a_lane_that_was_to_get_limits_and_did_not_is_spread_again() {
        interruption.cutBefore("gather_lane", 4);
        assertThatThrownBy(() -> store.lanes().configure(LANE, LIMITED, OLGA))
                .isInstanceOf(StoreFailure.class);
        interruption.none();
        clock.advance(TOO_LONG);
        other.maintenance().tick(Chore.TIMERS, 100);

        submitMany();
        assertThat(occupied()).isEqualTo(PARTITIONS);
    }

    @Test
    void limits_come_too_late_when_a_sweep_has_spread_the_lane_again() {
        interruption.before(
                "configure_lane",
                () -> {
                    clock.advance(TOO_LONG);
                    other.maintenance().tick(Chore.TIMERS, 100);
                    submitMany();
                });

        assertThatThrownBy(() -> store.lanes().configure(LANE, LIMITED, OLGA))
                .isInstanceOf(Contended.class);
        assertThat(occupied()).isEqualTo(PARTITIONS);
        assertThat(claimed()).isEqualTo(60);
    }

    @Test
    void limits_come_too_late_when_another_change_has_spread_the_lane_again() {
        interruption.before(
                "configure_lane",
                () -> {
                    other.lanes().configure(LANE, LaneSettings.DEFAULT.weight(2), OLGA);
                    submitMany();
                });

        assertThatThrownBy(() -> store.lanes().configure(LANE, LIMITED, OLGA))
                .isInstanceOf(Contended.class);
        assertThat(claimed()).isEqualTo(60);
    }

    @Test
    void a_lane_does_not_stay_gathered_for_limits_that_another_change_has_overtaken() {
        interruption.before(
                "gather_lane",
                () -> other.lanes().configure(LANE, LaneSettings.DEFAULT.weight(2), OLGA));
        assertThatThrownBy(() -> store.lanes().configure(LANE, LIMITED, OLGA))
                .isInstanceOf(Contended.class);
        clock.advance(TOO_LONG);
        other.maintenance().tick(Chore.TIMERS, 100);

        submitMany();
        assertThat(occupied()).isEqualTo(PARTITIONS);
    }

    @Test
    void a_lane_is_not_gathered_by_a_change_that_a_sweep_has_given_up() {
        interruption.before(
                "gather_lane",
                () -> {
                    clock.advance(TOO_LONG);
                    other.maintenance().tick(Chore.TIMERS, 100);
                });
        assertThatThrownBy(() -> store.lanes().configure(LANE, LIMITED, OLGA))
                .isInstanceOf(Contended.class);

        submitMany();
        assertThat(occupied()).isEqualTo(PARTITIONS);
    }

    @Test
    void work_is_not_replayed_past_limits_that_its_lane_gets_meanwhile() {
        var ended = submitMany();
        var cancels = ended.stream().<OperatorCommand>map(OperatorCommand.Cancel::new).toList();
        other.operations().act(cancels, OLGA).forEach(Answer::orThrow);
        int refused = 0;
        for (var id : ended.subList(0, 20)) {
            other.lanes().configure(LANE, LaneSettings.DEFAULT, OLGA);
            interruption.before("step", () -> other.lanes().configure(LANE, LIMITED, OLGA));
            var replay = List.<OperatorCommand>of(new OperatorCommand.Replay(id));
            if (store.operations().act(replay, OLGA).getFirst()
                    instanceof Answer.Refused<?>(var refusal)) {
                refused++;
                assertThat(refusal)
                        .isInstanceOfSatisfying(
                                Conflict.class,
                                it -> assertThat(it.code()).isEqualTo(Conflict.Code.LANE_SPREAD));
            }
        }

        assertThat(refused).isPositive();
        // What lies in the main partition counts, and waits again.
        assertThat(partitionsWith("ready")).containsExactly(Partition.of(BIG));
    }

    private int claimed() {
        int found = 0;
        boolean more = true;
        while (more) {
            var claimed = other.claims().claim(new Claim(session.id(), ++claims, 64));
            found += claimed.leases().size();
            more = claimed.more() || !claimed.leases().isEmpty();
        }
        return found;
    }

    private long occupied() {
        return IntStream.range(0, Partition.COUNT)
                .filter(n -> redis.direct().hlen(keys.key(new Partition(n), "execution")) > 0)
                .count();
    }

    private List<Partition> partitionsWith(String set) {
        return IntStream.range(0, Partition.COUNT)
                .mapToObj(Partition::new)
                .filter(partition -> redis.direct().zcard(keys.key(partition, set)) > 0)
                .toList();
    }

    private static Submission work() {
        return Submission.of("job", Payload.EMPTY).lane(LANE);
    }

    private void submit(Submission submission) {
        other.submissions().submit(List.of(submission)).getFirst().orThrow();
    }

    private List<ExecutionId> submitMany() {
        var all = Stream.generate(SpreadLanesTest::work).limit(60).toList();
        other.submissions().submit(all).forEach(Answer::orThrow);
        return all.stream().map(Submission::id).toList();
    }
}
