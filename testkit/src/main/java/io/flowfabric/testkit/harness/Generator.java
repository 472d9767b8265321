package io.flowfabric.testkit.harness;

import io.flowfabric.core.Failure;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.testkit.harness.Operation.Acknowledging;
import io.flowfabric.testkit.harness.Operation.Deed;
import io.flowfabric.testkit.harness.Operation.Forgery;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.harness.Operation.Hold;
import io.flowfabric.testkit.harness.Operation.Intent;
import io.flowfabric.testkit.harness.Operation.Manner;
import io.flowfabric.testkit.harness.Operation.Note;
import io.flowfabric.testkit.harness.Operation.Order;
import io.flowfabric.testkit.harness.Operation.Parting;
import io.flowfabric.testkit.harness.Operation.Profile;
import io.flowfabric.testkit.harness.Operation.Recording;
import io.flowfabric.testkit.harness.Operation.Saying;
import io.flowfabric.testkit.harness.Operation.Slip;
import io.flowfabric.testkit.harness.Operation.Tampering;
import io.flowfabric.testkit.harness.Operation.Twist;
import io.flowfabric.testkit.harness.Operation.Usage;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Thinks of operations. Each depends on the seed and on its own place only: the hundredth of three
 * hundred is the hundredth of a thousand.
 *
 * <p>All waits of a run together stay far below the seven days for which events are kept, so the
 * whole history can be judged.
 *
 * @param stream tells those apart who act in one run, each with operations of its own
 */
record Generator(long seed, int stream, Mix mix) {
    /** How many ids one operation may need. */
    private static final long NUMBERS_EACH = 8;

    /** How far apart the numbers of two streams are. */
    private static final long NUMBERS_OF_A_STREAM = 1_000_000_000L;

    private static final int WORKERS = 1000;

    /** In the order of the enum: chance must meet them in the same order every time. */
    private static final Map<Chore, Integer> CHORES =
            new EnumMap<>(Map.of(Chore.SESSIONS, 4, Chore.TIMERS, 8, Chore.RETENTION, 2));

    /** One for all that happens in a run, one thing after the other. */
    static Generator ofEveryone(long seed) {
        return new Generator(seed, 0, Mix.ofEveryone(seed));
    }

    /** The operation at a place. */
    Operation operation(int index) {
        var draw = new Draw(Identity.mixed(Identity.mixed(seed) + stream) + Identity.mixed(index));
        long number = stream * NUMBERS_OF_A_STREAM + index * NUMBERS_EACH;
        if (index < mix.openings()) {
            var generalist = generalist((stream + index) % Vocabulary.NAMESPACES.size());
            return new Operation.Open(index, number, generalist, Hearing.HEARD);
        }
        return switch (draw.weighted(mix.weights())) {
            case SUBMIT ->
                    new Operation.Submit(
                            draw.fewOf(item -> order(draw, number + item)), hearing(draw));
            case SUBMIT_FLOW -> FlowGenerator.submit(draw, number, hearing(draw));
            case CANCEL_FLOW ->
                    new Operation.CancelFlow(
                            draw.back(), draw.one(Mode.values()), draw.one("ada", "bob"));
            case OPEN ->
                    new Operation.Open(draw.below(WORKERS), number, profile(draw), hearing(draw));
            case REOPEN -> new Operation.Reopen(draw.below(WORKERS), draw.chance(40));
            case CLOSE -> new Operation.Close(draw.below(WORKERS));
            case CRASH -> new Operation.Crash(draw.below(WORKERS));
            case BEAT ->
                    new Operation.Beat(
                            draw.fewOf(item -> draw.below(WORKERS)),
                            draw.one(Acknowledging.values()),
                            draw.chance(20));
            case CLAIM -> claim(draw, number);
            case GRANT -> grant(draw, number);
            case RECLAIM ->
                    new Operation.Reclaim(draw.below(WORKERS), draw.back(), grantTime(draw));
            case REDEEM ->
                    new Operation.Redeem(
                            draw.below(WORKERS), draw.fewOf(item -> slip(draw)), hearing(draw));
            case ROTATE ->
                    new Operation.Rotate(
                            new Rotation(
                                    "%012x".formatted(number & 0xFFFF_FFFF_FFFFL),
                                    Duration.ofMillis(draw.one(0, 200, 30_000))));
            case CLAIM_AGAIN ->
                    new Operation.ClaimAgain(draw.below(WORKERS), draw.below(4), draw.one(1, 5));
            case REPORT ->
                    new Operation.Report(
                            draw.fewOf(item -> new Note(hold(draw), draw.between(0, 100))),
                            hearing(draw));
            case END ->
                    new Operation.End(
                            draw.fewOf(item -> new Parting(hold(draw), manner(draw))),
                            hearing(draw));
            case REPEAT -> new Operation.Repeat(draw.below(WORKERS), draw.below(4));
            case OPERATE ->
                    new Operation.Operate(
                            draw.fewOf(item -> deed(draw)),
                            draw.one("ada", "bob"),
                            draw.chance(85) ? Hearing.HEARD : Hearing.REPEATED);
            case ASSIGN -> new Operation.Assign(draw.back(), draw.below(WORKERS));
            case MARK_DEAD -> new Operation.MarkDead(draw.below(WORKERS), draw.one("ada", "bob"));
            case DEFINE_QUOTA -> defineQuota(draw);
            case DEFINE_BUDGET ->
                    new Operation.DefineBudget(
                            draw.one(Vocabulary.NAMESPACES),
                            draw.one(Vocabulary.BUDGETS),
                            draw.one(
                                    Operation.DefineBudget.Change.DEFINE,
                                    Operation.DefineBudget.Change.DEFINE,
                                    Operation.DefineBudget.Change.DEFINE_WITH_PERIOD,
                                    Operation.DefineBudget.Change.DEFINE_CANCELLING,
                                    Operation.DefineBudget.Change.RESET,
                                    Operation.DefineBudget.Change.DELETE),
                            draw.one(0L, 10L, 100L),
                            draw.one("ada", "bob"));
            case CHECKPOINT ->
                    new Operation.Checkpoints(draw.fewOf(item -> recording(draw)), hearing(draw));
            case OPEN_WAITPOINT -> WaitGenerator.open(draw, hold(draw));
            case SEND ->
                    new Operation.Send(
                            draw.fewOf(item -> WaitGenerator.telling(draw)), hearing(draw));
            case CLOSE_WAITPOINT ->
                    new Operation.CloseWaitpoint(
                            draw.back(), draw.one(Vocabulary.WAITPOINTS), draw.one("ada", "bob"));
            case APPEND ->
                    new Operation.Appends(draw.fewOf(item -> saying(draw, item)), hearing(draw));
            case SPEND -> new Operation.Spend(draw.fewOf(item -> usage(draw)));
            case CONFIGURE ->
                    new Operation.Configure(
                            draw.one(Vocabulary.LANES), settings(draw), draw.one("ada", "bob"));
            case TICK -> new Operation.Tick(draw.weighted(CHORES), draw.one(1, 2, 3, 100));
            case PASS -> new Operation.Pass(pause(draw));
        };
    }

    /** A large content is too much to come with a lease, once there are two of them. */
    private static Recording recording(Draw draw) {
        return new Recording(
                hold(draw),
                draw.one(Vocabulary.STEPS),
                draw.one("paid", "paid", "sent", "x".repeat(9 << 10)));
    }

    /** Mostly one behind the other, so that they fit. */
    private static Saying saying(Draw draw, int item) {
        return new Saying(
                hold(draw),
                draw.chance(70) ? item : draw.below(5),
                draw.one(FrameMode.DURABLE, FrameMode.DURABLE, FrameMode.LIVE, FrameMode.SUMMARY),
                draw.one("{\"a\":1.0}", "{\"a\":1.0}", "{\"a\":null,\"b\":[2]}", "[3]"));
    }

    private static Usage usage(Draw draw) {
        return new Usage(
                hold(draw),
                draw.one(Vocabulary.BUDGETS),
                draw.one(0L, 1L, 5L, 40L),
                draw.below(40));
    }

    private static Operation.DefineQuota defineQuota(Draw draw) {
        var namespace = draw.one(Vocabulary.NAMESPACES);
        var name = draw.one(Vocabulary.QUOTAS).quota();
        var window = Duration.ofMillis(draw.one(1_000, 30_000));
        Quota quota =
                switch (draw.below(3)) {
                    case 0 -> Quota.atOnce(name, draw.one(0, 1, 2, 5));
                    case 1 -> Quota.rate(name, draw.one(1, 2, 5), window);
                    default -> Quota.atOnce(name, draw.one(1, 3)).rate(draw.one(1, 4), window);
                };
        return new Operation.DefineQuota(
                namespace,
                name,
                draw.chance(85) ? Optional.of(quota.namespace(namespace)) : Optional.empty(),
                draw.one("ada", "bob"));
    }

    private static Operation.Claim claim(Draw draw, long number) {
        int worker = draw.below(WORKERS);
        var opening = new Operation.Open(worker, number, profile(draw), Hearing.HEARD);
        return new Operation.Claim(
                worker,
                draw.one(1, 1, 2, 5, 256),
                hearing(draw),
                draw.chance(85) ? Optional.of(opening) : Optional.empty());
    }

    private static Operation.Grant grant(Draw draw, long number) {
        var claim = claim(draw, number);
        return new Operation.Grant(
                claim.worker(), claim.max(), grantTime(draw), claim.hearing(), claim.opening());
    }

    private static Duration grantTime(Draw draw) {
        return Duration.ofMillis(draw.one(1, 200, 1_000, 30_000, 60_000));
    }

    private static Slip slip(Draw draw) {
        return new Slip(
                draw.below(6),
                draw.chance(10),
                draw.chance(90) ? Tampering.NONE : draw.one(Tampering.values()));
    }

    private static Hearing hearing(Draw draw) {
        int percent = draw.below(100);
        if (percent < 84) {
            return Hearing.HEARD;
        }
        return percent < 94 ? Hearing.REPEATED : Hearing.LOST;
    }

    private static Order order(Draw draw, long number) {
        return draw.chance(85)
                ? new Order.Fresh(WorkGenerator.work(draw, number))
                : new Order.Again(draw.back(), draw.one(Twist.values()), number);
    }

    /** A worker for everything in a namespace. */
    private static Profile generalist(int namespace) {
        return new Profile(
                namespace,
                Set.copyOf(Vocabulary.lanesOf(Vocabulary.NAMESPACES.get(namespace))),
                Set.of(),
                Vocabulary.EVERY_ABILITY,
                Duration.ofSeconds(30));
    }

    private static Profile profile(Draw draw) {
        int namespace = draw.chance(65) ? 0 : 1;
        var lanes = Vocabulary.lanesOf(Vocabulary.NAMESPACES.get(namespace));
        var served = draw.some(lanes);
        return new Profile(
                namespace,
                Set.copyOf(served.isEmpty() ? lanes : served),
                draw.chance(70) ? Set.of() : Set.copyOf(draw.some(Vocabulary.KINDS)),
                draw.chance(50)
                        ? Vocabulary.EVERY_ABILITY
                        : Capabilities.of(draw.some(Vocabulary.ABILITIES)),
                Duration.ofMillis(draw.one(300, 2_000, 30_000, 30_000)));
    }

    private static Hold hold(Draw draw) {
        var forgery =
                draw.chance(93)
                        ? Forgery.NONE
                        : draw.one(
                                Forgery.NEXT_EPOCH,
                                Forgery.NEXT_ATTEMPT,
                                Forgery.OTHER_PARTITION,
                                Forgery.UNKNOWN_EXECUTION);
        return new Hold(draw.below(WORKERS), draw.back(), draw.chance(20), forgery);
    }

    private static Manner manner(Draw draw) {
        return switch (draw.below(13)) {
            case 10, 11, 12 -> new Manner.Suspend(WaitGenerator.suspension(draw));
            case 0, 1, 2 -> new Manner.Complete("result " + draw.below(3));
            case 3, 4, 5 ->
                    new Manner.Fail(
                            draw.one(
                                    Failure.TRANSIENT,
                                    Failure.TRANSIENT,
                                    Failure.TIMEOUT,
                                    Failure.PERMANENT,
                                    "out of ink"));
            case 6 -> new Manner.Cancel();
            case 7, 8 -> new Manner.Delay(WorkGenerator.wait(draw));
            default -> new Manner.Release();
        };
    }

    private static Deed deed(Draw draw) {
        Intent intent =
                switch (draw.below(16)) {
                    case 0, 1 -> new Intent.Cancel();
                    case 2 -> new Intent.Complete("by hand " + draw.below(3));
                    case 3 -> new Intent.Fail("by hand");
                    case 4, 5 -> new Intent.Pause();
                    case 6, 7 -> new Intent.Resume();
                    case 8, 9 -> new Intent.Revoke();
                    case 10, 11 -> new Intent.Reprioritise(draw.one(0, 1, 5, 9000));
                    case 12 -> new Intent.Replay(true);
                    default -> new Intent.Replay(false);
                };
        return new Deed(draw.back(), intent, draw.chance(3));
    }

    private static LaneSettings settings(Draw draw) {
        var state =
                draw.one(
                        LaneSettings.State.ACTIVE,
                        LaneSettings.State.ACTIVE,
                        LaneSettings.State.ACTIVE,
                        LaneSettings.State.PAUSED,
                        LaneSettings.State.DRAINING,
                        LaneSettings.State.DISABLED);
        var settings = LaneSettings.DEFAULT.state(state).weight(draw.one(1, 2, 10));
        if (draw.chance(20)) {
            settings = settings.quota(draw.one(Vocabulary.QUOTAS).quota());
        }
        if (draw.chance(20)) {
            settings =
                    settings.budget(
                            draw.one(Vocabulary.BUDGETS),
                            Map.of(Vocabulary.TOKENS, (long) draw.one(0, 2, 10)));
        }
        return switch (draw.below(4)) {
            case 0 -> settings.ageing(Duration.ofMillis(draw.one(1, 100, 60_000)));
            case 1 -> settings.sharing(true);
            default -> settings;
        };
    }

    /**
     * A moment, or past a backoff, a session, a short retention. Mostly the very durations that
     * policies and sessions have, so that clocks stop exactly when something is due.
     */
    private static Duration pause(Draw draw) {
        int percent = draw.below(100);
        if (percent < 65) {
            return Duration.ofMillis(draw.one(1, 100, 100, 200, 200, 300, 400));
        }
        if (percent < 90) {
            return Duration.ofMillis(draw.one(1_000, 1_000, 2_000, 5_000));
        }
        return Duration.ofMillis(draw.one(30_000, 30_000, 31_000, 60_000));
    }
}
