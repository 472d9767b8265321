package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.decision.LeaseStanding;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.decision.WaitDecisions.Kept;
import io.flowfabric.core.decision.WaitDecisions.StepRoom;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.state.Transition;
import io.flowfabric.valkey.internal.DecidedWaits.Decided;
import io.flowfabric.valkey.internal.DecidedWaits.ReleasedLease;
import io.flowfabric.valkey.internal.DecidedWaits.WaitFacts;
import io.flowfabric.valkey.internal.record.SignalRecord;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Leases that end because their holders wait. What that writes depends on the signals that came
 * early, so it is decided by what is read, and not by the function that ends other leases.
 */
final class ValkeySuspensions implements DecidedWaits.WaitQuestion<Ending.Suspend, Ended> {
    private final ValkeyContext valkey;
    private final FlowAwaits awaits;

    ValkeySuspensions(ValkeyContext valkey, FlowAwaits awaits) {
        this.valkey = valkey;
        this.awaits = awaits;
    }

    /**
     * Ends leases, and answers in their order.
     *
     * @param others ends those that do not wait
     */
    List<Answer<Ended>> amongst(
            List<Ending> endings,
            BiFunction<List<Ending>, AppliedParts, List<Answer<Ended>>> others) {
        var parts = new AppliedParts();
        if (endings.stream().noneMatch(ValkeySuspensions::isWait)) {
            return others.apply(endings, parts);
        }
        var answers = new ArrayList<Answer<Ended>>(Collections.nCopies(endings.size(), null));
        for (var run : runs(endings)) {
            var some = run.stream().map(endings::get).toList();
            var told = isWait(some.getFirst()) ? letGo(some, parts) : others.apply(some, parts);
            for (int n = 0; n < run.size(); n++) {
                answers.set(run.get(n), told.get(n));
            }
        }
        return answers;
    }

    /**
     * The places of those that are done together, one list after the other: either all of them wait
     * or none does. Several about one execution stay in their order.
     */
    private static List<List<Integer>> runs(List<Ending> endings) {
        long executions =
                endings.stream().map(ending -> ending.fence().execution()).distinct().count();
        boolean ordered = executions < endings.size();
        var runs = new ArrayList<List<Integer>>();
        for (int n = 0; n < endings.size(); n++) {
            boolean waits = isWait(endings.get(n));
            var fitting =
                    (ordered && !runs.isEmpty() ? List.of(runs.getLast()) : runs)
                            .stream()
                                    .filter(run -> isWait(endings.get(run.getFirst())) == waits)
                                    .findFirst();
            if (fitting.isEmpty()) {
                runs.add(new ArrayList<>(List.of(n)));
            } else {
                fitting.get().add(n);
            }
        }
        if (!ordered) {
            // What ends may skip what waits, and not before all of the call is done.
            runs.sort(Comparator.comparing(run -> !isWait(endings.get(run.getFirst()))));
        }
        return runs;
    }

    private static boolean isWait(Ending ending) {
        return ending instanceof Ending.Suspend || ending instanceof Ending.Await;
    }

    private List<Answer<Ended>> letGo(List<Ending> endings, AppliedParts parts) {
        var suspensions = endings.stream().filter(Ending.Suspend.class::isInstance).toList();
        var suspended = suspend(suspensions, parts).iterator();
        return endings.stream()
                .map(
                        ending ->
                                ending instanceof Ending.Await await
                                        ? awaits.await(await, parts)
                                        : suspended.next())
                .toList();
    }

    private List<Answer<Ended>> suspend(List<Ending> endings, AppliedParts parts) {
        var waits = endings.stream().map(Ending.Suspend.class::cast).toList();
        return new DecidedWaits<>(valkey, "suspend", this)
                .each("endings", waits, Ending.Suspend::bytes, parts);
    }

    @Override
    public ExecutionId execution(Ending.Suspend ending) {
        return ending.fence().execution();
    }

    @Override
    public Optional<Fence> fence(Ending.Suspend ending) {
        return Optional.of(ending.fence());
    }

    @Override
    public Ended unheld(Ending.Suspend ending, LeaseStanding standing) {
        return standing.repeated(ending);
    }

    /** The number of the step that has its name, if one has. */
    @Override
    public Optional<byte[]> beside(Ending.Suspend ending) {
        return Optional.of(
                Records.detail(
                        ending.fence().execution().uuid(),
                        'n',
                        ending.suspension().name().getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public Decided<Ended> decide(Ending.Suspend ending, WaitFacts facts) {
        var row = facts.stored().row();
        var room =
                new StepRoom(
                        row.stepCount(), row.stepBytes().orElse(0L), !facts.beside().isAbsent());
        var change =
                WaitDecisions.suspend(
                        facts.stored().facts(),
                        ending.suspension(),
                        kept(ending, facts),
                        room,
                        facts.now());
        var until = WaitDecisions.until(change);
        return new Decided<>(
                new Ended(Transition.SUSPEND, until),
                Optional.of(change),
                Optional.empty(),
                Optional.of(new ReleasedLease(ending.digest(), until)),
                Optional.empty());
    }

    /** The signals that came early; they are read only if there are some where it waits. */
    private List<Kept> kept(Ending.Suspend ending, WaitFacts facts) {
        var awaiting = facts.stored().facts().awaiting();
        boolean some =
                ending.suspension().condition().waitpoints().stream()
                        .flatMap(name -> awaiting.open(name, facts.now()).stream())
                        .anyMatch(place -> place.received() > 0);
        if (!some) {
            return List.of();
        }
        var id = ending.fence().execution().uuid();
        var numbers = IntStream.rangeClosed(1, (int) awaiting.received()).boxed().toList();
        var stored =
                Records.details(
                        valkey,
                        facts.home(),
                        numbers.stream().map(n -> Records.detail(id, 'h', nth(n))).toList());
        // What is gone by now was changed, and is decided anew.
        return numbers.stream()
                .filter(n -> !stored.get(n - 1).isAbsent())
                .map(n -> SignalRecord.kept(n, stored.get(n - 1)))
                .toList();
    }

    /** The number of a signal as it is stored under. */
    static byte[] nth(int number) {
        return ByteBuffer.allocate(Short.BYTES).putShort((short) number).array();
    }
}
