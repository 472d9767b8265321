package io.flowfabric.cli.dev;

import io.flowfabric.cli.terminal.Screen;
import io.flowfabric.cli.terminal.StopSignal;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What happens in a run, act by act, told as it happens. */
final class Play {
    private static final Duration GLANCE = Duration.ofMillis(100);

    /** After which part of the run the worker is killed. */
    private static final double KILL_AT = 0.3;

    private static final Attribution OPERATOR =
            new Attribution("ff dev", "the demo shows how work is called off");

    private final Engine engine;
    private final WorkerProcesses crew;
    private final Screen screen;
    private final StopSignal stop;
    private final String run;
    private final Tally tally;
    private final long until;
    private final Map<Fate, List<ExecutionId>> ids = new EnumMap<>(Fate.class);

    /**
     * @param run the tag that tells the executions of this run from those of others
     * @param patience how long the whole may take; what has not ended by then is left as it is
     */
    Play(
            Engine engine,
            WorkerProcesses crew,
            Screen screen,
            StopSignal stop,
            String run,
            Duration patience) {
        this.engine = engine;
        this.crew = crew;
        this.screen = screen;
        this.stop = stop;
        this.run = run;
        this.tally = new Tally(engine.store().feeds(), run);
        this.until = System.nanoTime() + patience.toNanos();
    }

    /**
     * Plays all of it.
     *
     * @throws io.flowfabric.cli.terminal.Stopped when the user asked to stop
     */
    void run() {
        var victim = crew.start(Profile.B).getFirst();
        screen.say("Worker b is up (pid %d).".formatted(victim.pid()));
        submit(Fate.OUTLIVES_ITS_WORKER);
        watch(() -> tally.allRun(ids(Fate.OUTLIVES_ITS_WORKER)));
        screen.say(
                "Worker b begins %d long hauls. It will not live to finish them."
                        .formatted(Fate.OUTLIVES_ITS_WORKER.count()));
        var others = crew.start(Profile.A, Profile.C);
        screen.say(
                "Worker a (pid %d) and worker c (pid %d, with a gpu) are up."
                        .formatted(others.getFirst().pid(), others.getLast().pid()));

        var rest =
                Stream.of(Fate.values())
                        .filter(fate -> fate != Fate.OUTLIVES_ITS_WORKER)
                        .toArray(Fate[]::new);
        int submitted = submit(rest);
        screen.say(
                "%d more executions are submitted, in one commit: %d in all, of %d fates."
                        .formatted(submitted, Fate.total(), Fate.values().length));

        watch(() -> tally.allRun(ids(Fate.CANCELLED_RUNNING)));
        cancel(Fate.CANCELLED_RUNNING);
        cancel(Fate.CANCELLED_WAITING);
        screen.say(
                "An operator cancels %d executions that run and %d that have not begun."
                        .formatted(Fate.CANCELLED_RUNNING.count(), Fate.CANCELLED_WAITING.count()));

        watch(() -> tally.ended() >= KILL_AT * Fate.total());
        kill(victim);
        watch(() -> tally.ended() == Fate.total());
        screen.clear();
    }

    private void kill(WorkerProcess victim) {
        victim.kill();
        var killed = Instant.now();
        tally.refresh();
        var who = victim.profile();
        // On a very slow machine some of it has changed hands by now.
        long held = tally.heldBy(who) + tally.takenFrom(who).size();
        screen.say(
                screen.colours()
                        .strong(
                                "Worker b (pid %d) is killed now (SIGKILL), holding %d executions."
                                        .formatted(victim.pid(), held)));
        watch(() -> tally.heldBy(who) == 0);
        screen.say(takenOver(tally.takenFrom(who), killed));
    }

    private static String takenOver(List<Tally.TakeOver> takeOvers, Instant killed) {
        var shares =
                takeOvers.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Tally.TakeOver::to, TreeMap::new, Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(share -> "worker %s %d".formatted(share.getKey(), share.getValue()))
                        .collect(Collectors.joining(", "));
        var last = takeOvers.stream().map(Tally.TakeOver::at).max(Instant::compareTo);
        return last.map(at -> Duration.between(killed, at).toMillis() / 1000.0)
                .map("Its session expired; %.1f s after the kill others have it all: "::formatted)
                .map(sentence -> sentence + shares + ".")
                .orElse("Nobody has taken over what it held.");
    }

    private int submit(Fate... fates) {
        var submissions =
                Stream.of(fates)
                        .flatMap(
                                fate -> {
                                    var some = fate.submissions(run).toList();
                                    ids.put(fate, some.stream().map(Submission::id).toList());
                                    return some.stream();
                                })
                        .toList();
        accepted(engine.submissions().submit(submissions));
        return submissions.size();
    }

    private List<ExecutionId> ids(Fate fate) {
        return ids.getOrDefault(fate, List.of());
    }

    private void cancel(Fate fate) {
        var acts = ids(fate).stream().map(OperatorCommand.Cancel::new);
        accepted(
                engine.store()
                        .operations()
                        .act(acts.<OperatorCommand>map(act -> act).toList(), OPERATOR));
    }

    /** Looks on until something is so, or the patience is over. */
    private void watch(BooleanSupplier so) {
        tally.refresh();
        while (!so.getAsBoolean() && System.nanoTime() < until) {
            screen.show(Board.of(tally, Fate.total()));
            stop.pause(GLANCE);
            tally.refresh();
        }
        screen.show(Board.of(tally, Fate.total()));
    }

    private static <T> void accepted(Collection<Answer<T>> answers) {
        for (var answer : answers) {
            if (answer instanceof Answer.Refused<T>(var refusal)) {
                throw refusal;
            }
        }
    }
}
