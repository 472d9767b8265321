package io.flowfabric.core.state;

import static java.util.stream.Collectors.joining;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.StateVector.BlockingReason;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Draws the page about the state machine from its two tables.
 *
 * <p>Boxes keep the picture on one screen: a step that starts everywhere in a box is one arrow from
 * its border, and a step into a box goes on from the dot inside. What stays where it is has no
 * arrow, because Mermaid cannot draw one from a box to itself; it is put into words.
 */
final class StateMachinePage {
    private static final String DOT = "[*]";

    private static final String SOURCES = "../core/src/main/java/io/flowfabric/core/state";

    private static final Set<AttemptState> PENDING =
            EnumSet.of(
                    AttemptState.PENDING_FIRST_ATTEMPT,
                    AttemptState.PENDING_RETRY_ATTEMPT,
                    AttemptState.PENDING_REPLAY_ATTEMPT,
                    AttemptState.ATTEMPT_INTERRUPTED);

    private static final Box LATER =
            new Box(
                    "Later",
                    EnumSet.of(Situation.DELAYED, Situation.BACKING_OFF, Situation.RESUMING_LATER),
                    List.of());
    private static final Box LIVE =
            new Box(
                    "Live",
                    those(situation -> !situation.terminal() && !situation.onlySeen()),
                    List.of(LATER));
    private static final Box ENDED = new Box("Ended", those(Situation::terminal), List.of());
    private static final Box PICTURE =
            new Box("", those(situation -> !situation.onlySeen()), List.of(LIVE, ENDED));

    private StateMachinePage() {}

    /** The whole page. */
    static String render() {
        return """
        # The state machine

        A test draws this page from [`Transition`](%s/Transition.java)
        and [`Situation`](%s/Situation.java).
        After a change there, run `%s`.

        An arrow from the border of a box starts in every state inside. An arrow to a box goes on from the
        dot inside, under the same name. Without an arrow:

        %s

        ```mermaid
        stateDiagram-v2
        %s
        ```

        Each situation has six columns, and one public state that is derived from them. *Pending* stands for
        `pending_first_attempt`, `pending_retry_attempt`, `pending_replay_attempt` or `attempt_interrupted`.
        Situations in *italics* are how ready work reads through a gate that is shut; they are never stored.

        %s
        """
                .formatted(
                        SOURCES,
                        SOURCES,
                        StateMachinePageTest.UPDATE,
                        String.join("\n", withoutArrow()),
                        String.join("\n", draw(PICTURE, "    ")),
                        String.join("\n", table()));
    }

    /** Situations that are drawn together, some of them in boxes of their own. */
    private record Box(String name, Set<Situation> situations, List<Box> boxes) {
        Optional<Box> boxAround(Situation situation) {
            return boxes.stream().filter(box -> box.situations.contains(situation)).findFirst();
        }

        /** How a situation is seen in here: as a box, by its own name, or not at all. */
        Optional<String> node(Situation situation) {
            return situations.contains(situation)
                    ? Optional.of(boxAround(situation).map(Box::name).orElse(situation.name()))
                    : Optional.empty();
        }

        /** Whether a step leads from everywhere in here to everywhere in here. */
        boolean isStirredBy(Transition step) {
            return !step.staysPut()
                    && boxes.isEmpty()
                    && step.starts().containsAll(situations)
                    && ends(step).containsAll(situations);
        }
    }

    private record Arrow(String from, String to) {
        @Override
        public String toString() {
            return from + " --> " + to;
        }
    }

    private static List<String> draw(Box box, String indent) {
        var lines = new ArrayList<String>();
        for (var inner : box.boxes()) {
            lines.add(indent + "state " + inner.name() + " {");
            lines.addAll(draw(inner, indent + "    "));
            lines.add(indent + "}");
        }
        arrows(box)
                .forEach(
                        (arrow, steps) ->
                                lines.add(indent + arrow + " : " + String.join(", ", steps)));
        return lines;
    }

    /** The arrows between what is seen in a box, each with the steps that it stands for. */
    private static Map<Arrow, Set<String>> arrows(Box box) {
        var arrows = new LinkedHashMap<Arrow, Set<String>>();
        for (var step : Transition.values()) {
            if (step.staysPut()) {
                continue;
            }
            for (var start : starts(step)) {
                for (var end : ends(step)) {
                    arrow(box, step, start, end)
                            .map(
                                    arrow ->
                                            arrows.computeIfAbsent(
                                                    arrow, none -> new LinkedHashSet<>()))
                            .ifPresent(steps -> steps.add(step.wire()));
                }
            }
        }
        return arrows;
    }

    /** The arrow for one row of the transition table, if this is the box to draw it in. */
    private static Optional<Arrow> arrow(
            Box box, Transition step, Optional<Situation> start, Situation end) {
        var left = start.flatMap(box::boxAround);
        boolean staysInside = left.isPresent() && left.equals(box.boxAround(end));
        boolean isInWords = start.flatMap(box::node).isPresent() && box.isStirredBy(step);
        if (staysInside || isInWords) {
            return Optional.empty();
        }
        if (left.isPresent() && !step.starts().containsAll(left.get().situations())) {
            throw new AssertionError(
                    "%s leaves only a part of %s; draw it in other boxes."
                            .formatted(step, left.get().name()));
        }
        return box.node(end).map(to -> new Arrow(start.flatMap(box::node).orElse(DOT), to));
    }

    private static List<String> withoutArrow() {
        var words = new ArrayList<String>();
        for (var step : Transition.values()) {
            if (step.staysPut()) {
                words.add(
                        "- `%s`, which leaves everything in Live where it is"
                                .formatted(step.wire()));
            }
            for (var box : List.of(LATER, ENDED)) {
                if (box.isStirredBy(step)) {
                    words.add(
                            "- `%s`, from everywhere in %s to everywhere in %s"
                                    .formatted(step.wire(), box.name(), box.name()));
                }
            }
        }
        return words;
    }

    private static List<Optional<Situation>> starts(Transition step) {
        return step.starts().isEmpty()
                ? List.of(Optional.empty())
                : step.starts().stream().sorted().map(Optional::of).toList();
    }

    private static List<Situation> ends(Transition step) {
        return step.starts().isEmpty()
                ? States.BEGINNINGS
                : step.starts().stream()
                        .flatMap(start -> step.endsFrom(start).stream())
                        .distinct()
                        .sorted()
                        .toList();
    }

    private static List<String> table() {
        var lines = new ArrayList<String>();
        lines.add(
                "| situation | phase | ownership | eligibility | blocking reason | outcome |"
                        + " attempt | public state |");
        lines.add("|---|---|---|---|---|---|---|---|");
        Stream.of(Situation.values()).map(StateMachinePage::row).forEach(lines::add);
        return lines;
    }

    private static String row(Situation situation) {
        var reasons = new LinkedHashSet<BlockingReason>();
        var attempts = EnumSet.noneOf(AttemptState.class);
        var vectors = vectors(situation);
        for (var vector : vectors) {
            reasons.add(vector.reason());
            attempts.add(vector.attempt());
        }
        var any = vectors.getFirst();
        return Stream.of(
                        situation.onlySeen() ? "*%s*".formatted(situation) : situation.name(),
                        word(any.phase()),
                        word(any.ownership()),
                        word(any.eligibility()),
                        words(reasons),
                        word(any.outcome()),
                        attempts.equals(PENDING) ? "*pending*" : words(attempts),
                        any.publicState().wire())
                .collect(joining(" | ", "| ", " |"));
    }

    /** Every vector that the situation can be projected to. */
    private static List<StateVector> vectors(Situation situation) {
        var vectors = new ArrayList<StateVector>();
        for (var reason : BlockingReason.values()) {
            for (var attempt : AttemptState.values()) {
                vector(situation, reason, attempt)
                        .filter(vector -> vector.situation() == situation)
                        .ifPresent(vectors::add);
            }
        }
        return vectors;
    }

    private static Optional<StateVector> vector(
            Situation situation, BlockingReason reason, AttemptState attempt) {
        try {
            return Optional.of(situation.vector(reason, attempt));
        } catch (Invalid impossible) {
            return Optional.empty();
        }
    }

    private static String words(Collection<? extends Enum<?>> values) {
        return values.stream().map(StateMachinePage::word).collect(joining(", "));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static Set<Situation> those(Predicate<Situation> predicate) {
        var those = EnumSet.allOf(Situation.class);
        those.removeIf(predicate.negate());
        return those;
    }
}
