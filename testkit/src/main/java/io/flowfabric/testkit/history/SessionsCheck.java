package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Asks whether a session did anything after its death. It is dead when an operator said so, when
 * what it held has lapsed, or when the time is over that its last heartbeat gave it. In a store of
 * several parts a lapse says so of its own part alone: the others may have heard of the session
 * later, and their work is still its own.
 *
 * <p>A call that began before the death may commit, and be told of, after it: only what is later by
 * the clock of the store counts. A step is never told to be earlier than the one before it: one of
 * the same moment may have waited for that one, and says nothing of when its call began.
 */
final class SessionsCheck implements RunCheck {
    /** How many of the dead are remembered. */
    private static final int GRAVES = 10_000;

    private final Notes notes;
    private final Optional<Expectations> expected;
    private final Map<SessionId, Instant> aliveUntil = new HashMap<>();

    /** When executions took their last steps, of those that have not ended. */
    private final Map<ExecutionId, Instant> lastSteps = new HashMap<>();

    private final Map<Grave, Instant> died =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Grave, Instant> eldest) {
                    return size() > GRAVES;
                }
            };

    /**
     * What died.
     *
     * @param part of the store; nothing when the session did in all of them
     */
    private record Grave(SessionId session, Optional<Object> part) {}

    SessionsCheck(Notes notes, Optional<Expectations> expected) {
        this.notes = notes;
        this.expected = expected;
    }

    @Override
    public void next(Event event) {
        switch (event) {
            case Event.MarkedDead marked -> dies(everywhere(marked.owner()), marked.at());
            case Event.Renewal renewal -> {
                var everywhere = everywhere(renewal.owner());
                acts(renewal.owner(), everywhere, renewal.at(), "sent a heartbeat");
                aliveUntil.put(renewal.owner().session(), renewal.until());
            }
            case Step step -> {
                step.owner().ifPresent(owner -> step(owner, step));
                if (step.now().terminal()) {
                    lastSteps.remove(step.execution());
                } else {
                    lastSteps.put(step.execution(), step.at());
                }
            }
            case Event other -> {}
        }
    }

    private void step(Owner owner, Step step) {
        if (step.transition() == Transition.LAPSE) {
            if (lapsesWithItsSession(step)) {
                returnsInTime(owner, step);
                dies(inPartOf(owner, step), step.at());
            }
        } else if (step.by().isEmpty()
                && step.transition() != Transition.FORFEIT
                && !step.at().equals(lastSteps.get(step.execution()))) {
            acts(
                    owner,
                    inPartOf(owner, step),
                    step.at(),
                    "took the step %s of %s".formatted(step.transition(), step.execution()));
        }
    }

    private static Grave everywhere(Owner owner) {
        return new Grave(owner.session(), Optional.empty());
    }

    private Grave inPartOf(Owner owner, Step step) {
        return notes.isWhole()
                ? everywhere(owner)
                : new Grave(owner.session(), Optional.of(notes.part(step.execution())));
    }

    /** Whether nothing but the death of its session can have ended the lease. */
    private boolean lapsesWithItsSession(Step lapse) {
        return notes.work(lapse.execution())
                .filter(work -> work.policy().stallTimeout().isEmpty())
                .isPresent();
    }

    private void acts(Owner owner, Grave grave, Instant at, String what) {
        var everywhere = died.get(everywhere(owner));
        var death = everywhere == null ? died.get(grave) : everywhere;
        var end = aliveUntil.get(owner.session());
        if (death != null && at.isAfter(death)) {
            complain(owner, at, what, "it was dead at %s".formatted(death));
        } else if (end != null && at.isAfter(end)) {
            complain(owner, at, what, "its last heartbeat kept it alive until %s".formatted(end));
        }
    }

    private void complain(Owner owner, Instant at, String what, String why) {
        notes.complain(
                Kind.WRITE_AFTER_DEATH,
                owner.session(),
                "%s %s at %s, and %s.".formatted(owner.worker(), what, at, why));
    }

    private void dies(Grave grave, Instant at) {
        died.putIfAbsent(grave, at);
    }

    private void returnsInTime(Owner owner, Step lapse) {
        var end = aliveUntil.get(owner.session());
        // One that was closed or declared dead is over sooner, and from then on it is not known.
        if (end == null || expected.isEmpty() || died.containsKey(everywhere(owner))) {
            return;
        }
        var late = Duration.between(end, lapse.at());
        if (late.compareTo(expected.get().slack()) > 0
                && expected.get().faults().none(end, lapse.at())) {
            notes.complain(
                    Kind.LATE,
                    lapse.execution(),
                    "The session of %s was over at %s, and its work came back at %s, after %s."
                            .formatted(owner.worker(), end, lapse.at(), late));
        }
        aliveUntil.remove(owner.session());
    }
}
