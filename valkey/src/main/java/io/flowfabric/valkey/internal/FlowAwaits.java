package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.decision.FlowAwaiting;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.state.Transition;
import io.flowfabric.valkey.internal.FlowHomes.Located;
import io.flowfabric.valkey.internal.FlowWrite.FlowStep;

import java.util.List;
import java.util.Optional;

/**
 * Leases that end because their holders await flows. The step is written together with the flow,
 * whose version it raises: so an end of the flow at the same moment is decided anew.
 */
final class FlowAwaits {
    private final ValkeyContext valkey;
    private final FlowSettling settling;
    private final FlowHomes homes;

    FlowAwaits(ValkeyContext valkey, FlowSettling settling) {
        this.valkey = valkey;
        this.settling = settling;
        this.homes = new FlowHomes(valkey);
    }

    /** Ends one lease. */
    Answer<Ended> await(Ending.Await ending, AppliedParts parts) {
        try {
            return Answer.done(
                    GuardedWrites.retry("the flow " + ending.flow(), () -> attempt(ending, parts)));
        } catch (Unavailable | StoreFailure broken) {
            if (broken instanceof StoreFailure failure && failure.isUnreadable()) {
                return Answer.refused(broken);
            }
            throw broken;
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }

    /** Nothing is answered when something has changed meanwhile. */
    private Optional<Ended> attempt(Ending.Await ending, AppliedParts parts) {
        return valkey.at(ending.fence().execution(), home -> attempt(home, ending, parts));
    }

    private Optional<Ended> attempt(Partition home, Ending.Await ending, AppliedParts parts) {
        var fence = ending.fence();
        var stored =
                ExecutionFacts.read(valkey, home, List.of(fence.execution()))
                        .all()
                        .getFirst()
                        .readable();
        if (!stored.row().isHeldBy(fence)) {
            return Optional.of(stored.row().standing().repeated(ending));
        }
        var located = homes.find(ending.flow());
        if (!located.flow().settled()) {
            settling.settle(located.home(), ending.flow().uuid());
            return Optional.empty();
        }
        var change =
                FlowAwaiting.await(
                        stored.facts(),
                        stored.submission().lane().namespace(),
                        located.flow().record());
        mustLieAt(home, ending, located);
        var write =
                FlowWrite.of(located.flow())
                        .begin(
                                new FlowStep(
                                        stored.submission(),
                                        Optional.of(stored),
                                        Optional.of(change),
                                        Optional.of(fence),
                                        Optional.of(ending.digest())));
        var told = parts.change(() -> write.write(valkey, home));
        if (told.word().equals("unheld")) {
            return Optional.of(ValkeyLeases.standing(fence, told.why()).repeated(ending));
        }
        return told.done()
                ? Optional.of(new Ended(Transition.AWAIT, Optional.empty()))
                : Optional.empty();
    }

    /** Both are written by one call. */
    private static void mustLieAt(Partition home, Ending.Await ending, Located located) {
        if (!located.home().equals(home)) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "flow",
                    ("%s lies in the main partition of its namespace, and %s in another one, so it"
                                    + " cannot await it. Submit the work as a member of a flow, or"
                                    + " with a quota; or do not spread the namespace.")
                            .formatted(ending.flow(), ending.fence().execution()));
        }
    }
}
