package io.flowfabric.valkey.internal;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.FlowAwaiting;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowSettlement.Settled;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.record.MemberLayout;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.record.WaitRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A change of a flow with all that follows from it, which is written by one call, all of it or
 * nothing: the flow has to be what it was when that was decided, and so do the executions that take
 * steps.
 */
final class FlowWrite {
    /** The number of an event that was decided here. */
    private static final int EVENT_OTHER = 1;

    /** How many steps, members and arcs one call writes: a call keeps all others waiting. */
    private static final int MOST = 500;

    private final Optional<StoredFlow> before;
    private final Map<Integer, MemberRecord> members = new TreeMap<>();
    private final List<FlowStep> first = new ArrayList<>();
    private final List<FlowStep> steps = new ArrayList<>();
    private final List<byte[]> events = new ArrayList<>();
    private FlowRecord after;
    private List<Arc> arcs = List.of();
    private Optional<Coming> coming = Optional.empty();
    private Optional<Payload> input = Optional.empty();

    private FlowWrite(Optional<StoredFlow> before, FlowRecord after) {
        this.before = before;
        this.after = after;
    }

    /** A flow that comes. */
    static FlowWrite of(FlowRecord flow, Payload input) {
        var write = new FlowWrite(Optional.empty(), flow);
        write.input = Optional.of(input);
        return write;
    }

    /** A change of a flow by what is in its inbox, which is done with it. */
    static FlowWrite of(StoredFlow flow) {
        return new FlowWrite(Optional.of(flow), flow.record());
    }

    /** The same where it is settled: it is cancelled first if what awaited it has ended. */
    static FlowWrite settling(StoredFlow flow) {
        var write = of(flow);
        if (flow.abandoned()) {
            FlowAwaiting.abandoned(flow.record(), flow.now())
                    .ifPresent(cancelled -> write.cancel(cancelled, flow.now()));
        }
        return write;
    }

    /** A flow that is cancelled, which is told. */
    FlowWrite cancel(FlowRecord cancelled, Instant now) {
        var by = cancelled.cancelled().map(FlowCancellation::by);
        return become(cancelled)
                .tell(FlowNews.of(cancelled, Event.FlowStep.CANCELLED, by, now), cancelled.tags());
    }

    /** The flow as it is, as far as it was decided. */
    FlowRecord record() {
        return after;
    }

    /** Flows that are not awaited any more, because the steps of this end those who did. */
    Stream<UUID> abandoned() {
        return Stream.concat(first.stream(), steps.stream())
                .flatMap(step -> step.change().stream())
                .flatMap(change -> change.abandons().stream())
                .map(FlowId::uuid);
    }

    /**
     * A step of a member.
     *
     * @param stored the execution as it was when it was decided; nothing when it comes with this
     * @param fence the lease under which alone the step is taken
     * @param digest of the ending, by which a repeat of it is known
     */
    record FlowStep(
            Submission work,
            Optional<Decidable> stored,
            Optional<Change> change,
            Optional<Fence> fence,
            Optional<Digest> digest) {
        static FlowStep of(Decidable stored, Change change) {
            return new FlowStep(
                    stored.submission(),
                    Optional.of(stored),
                    Optional.of(change),
                    Optional.empty(),
                    Optional.empty());
        }

        /** No step at all, but a lease has to hold. */
        static FlowStep held(Decidable stored, Fence fence) {
            return new FlowStep(
                    stored.submission(),
                    Optional.of(stored),
                    Optional.empty(),
                    Optional.of(fence),
                    Optional.empty());
        }

        private void write(Packer out) {
            out.list(7)
                    .uuid(work.id().uuid())
                    .optional(stored, (o, it) -> o.bytes(it.row().packed()))
                    .optional(change, (o, it) -> Steps.write(o, it, Optional.of(work)))
                    .optional(
                            stored.flatMap(it -> it.remembered().optional(Item::bytes)),
                            Packer::bytes)
                    .optional(
                            change.flatMap(Change::waited),
                            (o, waited) -> WaitRecord.write(o, work.id(), waited))
                    .optional(
                            fence,
                            (o, it) ->
                                    o.list(3)
                                            .number(it.execution().partition().number())
                                            .number(it.attempt())
                                            .number(it.epoch()))
                    .optional(digest, (o, it) -> o.list(2).digest(it).absent());
        }
    }

    /** Members that come, each with its work. */
    private record Coming(SubmitRequest request, List<MemberRecord> members) {
        void write(Packer out) {
            out.list(2);
            request.write(out);
            out.list(2 * members.size());
            members.forEach(
                    member ->
                            out.number(member.number())
                                    .truth(member.decided() != MemberRecord.Decided.SATISFIED));
        }
    }

    FlowWrite become(FlowRecord flow) {
        after = flow;
        return this;
    }

    FlowWrite change(Collection<MemberRecord> changed) {
        changed.forEach(member -> members.put(member.number(), member));
        return this;
    }

    FlowWrite connect(List<Arc> added) {
        arcs = added;
        return this;
    }

    FlowWrite come(SubmitRequest request, List<MemberRecord> added) {
        coming = added.isEmpty() ? Optional.empty() : Optional.of(new Coming(request, added));
        return change(added);
    }

    /** A step that is told before the events. */
    FlowWrite begin(FlowStep step) {
        first.add(step);
        return this;
    }

    FlowWrite step(FlowStep step) {
        steps.add(step);
        return this;
    }

    FlowWrite tell(Event event, Tags tags) {
        events.add(
                new Packer()
                        .list(3)
                        .number(EVENT_OTHER)
                        .text(EventCodec.write(event).toString())
                        .list(
                                tags.values().entrySet(),
                                (out, tag) -> out.list(2).text(tag.getKey()).text(tag.getValue()))
                        .done());
        return this;
    }

    /** What a piece of settling has come to. */
    FlowWrite settle(Settled settled, StoredGraph graph, Instant now) {
        settled.steps()
                .forEach(step -> step(FlowStep.of(graph.execution(step.member()), step.change())));
        return settle(settled, now);
    }

    /** The same, but for its steps. */
    FlowWrite settle(Settled settled, Instant now) {
        FlowNews.ended(after, settled.flow(), now)
                .ifPresent(event -> tell(event, settled.flow().tags()));
        return become(settled.flow()).change(settled.members());
    }

    /**
     * What came of it.
     *
     * @param word {@code done}, or why nothing was done
     * @param number of the step or the member that is in the way, from 0
     * @param why it is
     */
    record Told(String word, int number, Item why) {
        boolean done() {
            return word.equals("done");
        }
    }

    Told write(ValkeyContext valkey, Partition home) {
        return write(valkey, home, List.of(this)).getFirst();
    }

    /**
     * Puts changes together that go with one call: not more than a call should write, but for one
     * that is larger by itself.
     */
    static List<List<FlowWrite>> calls(List<FlowWrite> changes) {
        var calls = new ArrayList<List<FlowWrite>>();
        int size = MOST;
        for (var change : changes) {
            size += change.size();
            if (size > MOST) {
                calls.add(new ArrayList<>());
                size = change.size();
            }
            calls.getLast().add(change);
        }
        return calls;
    }

    /**
     * Writes changes of flows with one call, each by itself.
     *
     * @param changes each of another flow
     */
    static List<Told> write(ValkeyContext valkey, Partition home, List<FlowWrite> changes) {
        boolean comes = changes.stream().anyMatch(it -> it.coming.isPresent() || it.isNew());
        return valkey.call(
                        comes ? "submit_flows" : "change_flows",
                        home,
                        out -> out.list(changes, (o, change) -> change.write(o)))
                .answer()
                .list(FlowWrite::told);
    }

    private static Told told(Item answer) {
        boolean more = answer.list().size() > 1;
        return new Told(
                answer.at(0).text(),
                more ? answer.at(1).small() - 1 : 0,
                more ? answer.at(2) : answer);
    }

    private boolean isNew() {
        return before.isEmpty();
    }

    UUID flow() {
        return after.id().uuid();
    }

    /** Whether something is left to be done in the flow. */
    boolean leavesWork() {
        return after.unsettled();
    }

    /** How much is to be written, roughly: steps, members that are different, and new arcs. */
    private int size() {
        return 1 + first.size() + steps.size() + members.size() + arcs.size();
    }

    private void write(Packer out) {
        var packed = before.map(it -> it.next(after)).orElseGet(() -> StoredFlow.write(after));
        out.list(13)
                .uuid(after.id().uuid())
                .optional(before, (o, it) -> o.bytes(it.packed()))
                .bytes(packed)
                .text(after.namespace().name())
                .list(2 * members.size());
        members.forEach((number, member) -> out.number(number).bytes(MemberLayout.write(member)));
        out.bytes(FlowArcs.write(arcs))
                .optional(coming, (o, it) -> it.write(o))
                .number(before.map(it -> it.inbox().length).orElse(0))
                .list(first, (o, step) -> step.write(o))
                .list(events, Packer::packed)
                .list(steps, (o, step) -> step.write(o))
                .truth(after.unsettled())
                .list(3)
                .optional(input, (o, it) -> o.bytes(SubmissionRecord.write(it)));
        var ended = before.flatMap(it -> it.record().endedAt());
        boolean same = ended.equals(after.endedAt());
        out.optional(same ? Optional.empty() : ended, Packer::moment)
                .optional(same ? Optional.empty() : after.endedAt(), Packer::moment);
    }
}
