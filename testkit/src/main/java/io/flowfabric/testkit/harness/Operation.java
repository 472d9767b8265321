package io.flowfabric.testkit.harness;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.stream.FrameMode;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One thing that a participant does, as pure data.
 *
 * <p>It refers to others by number only: the third worker, the newest lease but two, the fifth
 * execution; always modulo how many there are when it is performed. So operations can be made
 * without performing any, and leaving some out leaves the others meaningful.
 */
sealed interface Operation {

    /** How many items it has: more than one in a batch. */
    default int items() {
        return 1;
    }

    /** The same with some of its items. */
    default Operation keeping(List<Integer> items) {
        return this;
    }

    private static <T> List<T> some(List<T> all, List<Integer> items) {
        return items.stream().map(all::get).toList();
    }

    /** What becomes of the answer to a call. */
    enum Hearing {
        /** It arrives. */
        HEARD,
        /** It is lost after the store has done its part; the caller repeats the call at once. */
        REPEATED,
        /** It is lost, and the caller goes on without it. */
        LOST
    }

    // Submitters.

    record Submit(List<Order> orders, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return orders.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Submit(some(orders, items), hearing);
        }
    }

    /** One item of a submission. */
    sealed interface Order {
        /** Work that was not submitted before. */
        record Fresh(HarnessWork work) implements Order {}

        /** What was submitted before, once more. */
        record Again(int execution, Twist twist, long number) implements Order {}
    }

    /** How a repeated submission differs from the first. */
    enum Twist {
        NONE,
        SAME_ID_OTHER_CONTENT,
        OTHER_ID_SAME_CONTENT,
        OTHER_ID_OTHER_CONTENT
    }

    /** A graph of work that was not submitted before. */
    record SubmitFlow(long number, List<FlowPart> parts, OnFailure onFailure, Hearing hearing)
            implements Operation {}

    /**
     * A member of a graph.
     *
     * @param after which of those before it it comes after
     * @param quorum how many of them it needs; all of them when there are fewer
     * @param completion whether any end of theirs counts
     */
    record FlowPart(HarnessWork work, List<Integer> after, int quorum, boolean completion) {}

    /** An operator cancels a flow, counted from the newest. */
    record CancelFlow(int flow, FlowCancellation.Mode mode, String actor) implements Operation {}

    // Workers.

    /**
     * A worker process starts, as the next life of that worker; of the one before it knows nothing.
     */
    record Open(int worker, long number, Profile profile, Hearing hearing) implements Operation {}

    /** What a worker serves and can do. */
    record Profile(
            int namespace,
            Set<String> lanes,
            Set<String> kinds,
            Capabilities offers,
            Duration ttl) {}

    /** A worker opens its session once more. */
    record Reopen(int worker, boolean otherContent) implements Operation {}

    record Close(int worker) implements Operation {}

    /** A worker process is gone, and its session just stops beating. */
    record Crash(int worker) implements Operation {}

    /**
     * Workers show that they live, in one call.
     *
     * @param alsoForgotten whether it names leases that it no longer holds, too
     */
    record Beat(List<Integer> workers, Acknowledging acknowledging, boolean alsoForgotten)
            implements Operation {
        @Override
        public int items() {
            return workers.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Beat(some(workers, items), acknowledging, alsoForgotten);
        }
    }

    /** Which claim numbers a heartbeat acknowledges. */
    enum Acknowledging {
        NOTHING,
        /** Those whose answers have arrived. */
        WHAT_ARRIVED,
        /** All that were sent: what was lost is lost. */
        EVERYTHING
    }

    /**
     * A worker asks for work.
     *
     * @param opening how it opens a session first, if it knows that it has none; when there is
     *     nothing here, it asks all the same
     */
    record Claim(int worker, int max, Hearing hearing, Optional<Open> opening)
            implements Operation {}

    /** A worker asks for tickets, with a claim of its own number. */
    record Grant(int worker, int max, Duration ttl, Hearing hearing, Optional<Open> opening)
            implements Operation {}

    /** A worker asks for a ticket to go on with something. */
    record Reclaim(int worker, int execution, Duration ttl) implements Operation {}

    /** A worker shows tickets. */
    record Redeem(int worker, List<Slip> slips, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return slips.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Redeem(worker, some(slips, items), hearing);
        }
    }

    /**
     * A ticket that a worker shows.
     *
     * @param grant counted from the newest that it was ever given
     * @param stolen whether it is one of another worker, perhaps
     */
    record Slip(int grant, boolean stolen, Tampering tampering) {}

    /** What is wrong with a ticket, besides its age and whose it is. */
    enum Tampering {
        NONE,
        NONSENSE,
        NEXT_EPOCH,
        LATER
    }

    /** An operator changes the key that signs tickets. */
    record Rotate(Rotation rotation) implements Operation {}

    /** A claim number that was used before. */
    record ClaimAgain(int worker, int back, int max) implements Operation {}

    record Report(List<Note> notes, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return notes.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Report(some(notes, items), hearing);
        }
    }

    record Note(Hold hold, int percent) {}

    record End(List<Parting> partings, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return partings.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new End(some(partings, items), hearing);
        }
    }

    record Parting(Hold hold, Manner manner) {}

    /**
     * A lease that a worker presents.
     *
     * @param worker among those that hold anything
     * @param lease counted from the newest
     * @param ever whether it may be any worker, and any lease that it ever had
     */
    record Hold(int worker, int lease, boolean ever, Forgery forgery) {}

    /** What is wrong with a presented fence, besides its age. */
    enum Forgery {
        NONE,
        NEXT_EPOCH,
        NEXT_ATTEMPT,
        OTHER_PARTITION,
        UNKNOWN_EXECUTION
    }

    /** How a lease is given up. */
    sealed interface Manner {
        record Complete(String result) implements Manner {}

        record Fail(String category) implements Manner {}

        record Cancel() implements Manner {}

        record Delay(Wait until) implements Manner {}

        record Suspend(Suspension suspension) implements Manner {}

        record Release() implements Manner {}
    }

    /** A worker sends one of its last calls again, unchanged, as if it had never heard of it. */
    record Repeat(int worker, int back) implements Operation {}

    // Operators.

    record Operate(List<Deed> deeds, String actor, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return deeds.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Operate(some(deeds, items), actor, hearing);
        }
    }

    /**
     * One item of what an operator does.
     *
     * @param elsewhere whether the id is misspelt: the right UUID in the wrong partition
     */
    record Deed(int execution, Intent intent, boolean elsewhere) {}

    /** What an operator wants. */
    sealed interface Intent {
        record Cancel() implements Intent {}

        record Complete(String result) implements Intent {}

        record Fail(String message) implements Intent {}

        record Pause() implements Intent {}

        record Resume() implements Intent {}

        record Revoke() implements Intent {}

        record Reprioritise(int priority) implements Intent {}

        record Replay(boolean fresh) implements Intent {}
    }

    /** An operator leases an execution to a worker. */
    record Assign(int execution, int worker) implements Operation {}

    /** An operator takes a worker for dead, whether it is or not. */
    record MarkDead(int worker, String actor) implements Operation {}

    record Configure(Lane lane, LaneSettings settings, String actor) implements Operation {}

    /** An operator says what a quota allows, or that there is none any more. */
    record DefineQuota(Namespace namespace, String name, Optional<Quota> quota, String actor)
            implements Operation {}

    /** An operator defines a budget, begins it anew, or deletes it. */
    record DefineBudget(Namespace namespace, String name, Change change, long hard, String actor)
            implements Operation {
        enum Change {
            DEFINE,
            DEFINE_WITH_PERIOD,
            DEFINE_CANCELLING,
            RESET,
            DELETE
        }
    }

    /** Workers report what they used up, in one call. */
    record Spend(List<Usage> usages) implements Operation {
        @Override
        public int items() {
            return usages.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Spend(some(usages, items));
        }
    }

    record Usage(Hold hold, String budget, long amount, int key) {}

    /** Workers record steps, in one call. */
    record Checkpoints(List<Recording> recordings, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return recordings.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Checkpoints(some(recordings, items), hearing);
        }
    }

    /** One step that is recorded; its name and its content are among few, so that they meet. */
    record Recording(Hold hold, String name, String content) {}

    // Waits.

    /** A worker opens a waitpoint. */
    record OpenWaitpoint(Hold hold, String waitpoint, Optional<Duration> expiresAfter)
            implements Operation {}

    /** Somebody sends signals, in one call. */
    record Send(List<Telling> tellings, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return tellings.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Send(some(tellings, items), hearing);
        }
    }

    /**
     * One signal; all that it says is among little, so that repeats and contradictions meet.
     *
     * @param elsewhere whether the id is misspelt: the right UUID in the wrong partition
     */
    record Telling(
            int execution,
            String waitpoint,
            String name,
            String actor,
            Optional<String> key,
            boolean elsewhere) {}

    /** An operator closes a waitpoint. */
    record CloseWaitpoint(int execution, String waitpoint, String actor) implements Operation {}

    /** Workers append frames to their streams, in one call. */
    record Appends(List<Saying> sayings, Hearing hearing) implements Operation {
        @Override
        public int items() {
            return sayings.size();
        }

        @Override
        public Operation keeping(List<Integer> items) {
            return new Appends(some(sayings, items), hearing);
        }
    }

    /** One frame; its position and its content are among few, so that they meet. */
    record Saying(Hold hold, int position, FrameMode mode, String content) {}

    // Time.

    /** A chore is done in rounds of a limit, until nothing is due. */
    record Tick(Chore chore, int limit) implements Operation {}

    record Pass(Duration time) implements Operation {}
}
