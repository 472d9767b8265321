package io.flowfabric.testkit.harness;

import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Condition.Distinct;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Suspension.Behaviour;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.testkit.harness.Operation.Hold;
import io.flowfabric.testkit.harness.Operation.Telling;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Thinks of what work waits for, and of what it is told. */
final class WaitGenerator {
    private WaitGenerator() {}

    static Operation.OpenWaitpoint open(Draw draw, Hold hold) {
        return new Operation.OpenWaitpoint(
                hold,
                draw.one(Vocabulary.WAITPOINTS),
                draw.chance(60)
                        ? Optional.empty()
                        : Optional.of(Duration.ofMillis(draw.one(100, 1_000, 30_000))));
    }

    static Telling telling(Draw draw) {
        return new Telling(
                draw.back(),
                draw.one(Vocabulary.WAITPOINTS),
                draw.one("yes", "yes", "no"),
                draw.one("ada", "bob", "cyd"),
                draw.chance(60) ? Optional.empty() : Optional.of(draw.one("1", "2", "3")),
                draw.chance(3));
    }

    /** Names of steps are among those of suspensions, so that they meet. */
    static Suspension suspension(Draw draw) {
        var suspension =
                Suspension.until(draw.one("pay", "approval", "payment", "review"), condition(draw))
                        .reason(draw.one(SuspendedFor.values()));
        if (draw.chance(30)) {
            suspension = suspension.resumeDelay(Duration.ofMillis(draw.one(100, 1_000)));
        }
        return draw.chance(50)
                ? suspension
                : suspension.timeout(
                        Duration.ofMillis(draw.one(100, 400, 1_000, 5_000)),
                        draw.one(Behaviour.values()));
    }

    private static Condition condition(Draw draw) {
        return switch (draw.below(6)) {
            case 0 -> Condition.none();
            case 1 -> Condition.signal(draw.one(Vocabulary.WAITPOINTS), "yes");
            case 2 ->
                    Condition.all(
                            Condition.signal("boss"),
                            Condition.all(Condition.signal("bank", "yes")));
            case 3 -> Condition.atLeast(2, Distinct.SOURCES, "boss", "bank");
            case 4 ->
                    new Condition.AtLeast(
                            2,
                            draw.one(Distinct.values()),
                            List.of("boss", "shop"),
                            Optional.of("yes"));
            default -> Condition.signal(draw.one(Vocabulary.WAITPOINTS));
        };
    }
}
