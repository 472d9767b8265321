package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Flows.SubmittedFlow;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * How flows come: small ones many with one call. Each is stored whole or not at all, and one that
 * something is in the way of is tried again by itself.
 */
final class FlowSubmissions {
    private final ValkeyContext valkey;
    private final FlowHomes homes;
    private final FlowMembers members;

    FlowSubmissions(ValkeyContext valkey) {
        this.valkey = valkey;
        this.homes = new FlowHomes(valkey);
        this.members = new FlowMembers(valkey);
    }

    /**
     * A flow that comes.
     *
     * @param place among those of the call
     */
    private record ComingFlow(int place, FlowSubmission flow) {
        UUID uuid() {
            return flow.id().uuid();
        }

        long bytes() {
            return flow.input().size()
                    + flow.members().stream().mapToLong(it -> it.work().input().size()).sum();
        }
    }

    /** What is written of a flow that comes, and the work of its members. */
    private record DraftedFlow(ComingFlow coming, FlowWrite write, List<Submission> work) {}

    List<Answer<SubmittedFlow>> submit(List<FlowSubmission> flows) {
        Limit.BATCH.checkCount("flows", flows.size());
        var parts = new AppliedParts();
        var answers = new ArrayList<Answer<SubmittedFlow>>(Collections.nCopies(flows.size(), null));
        var places = new LinkedHashMap<Partition, List<ComingFlow>>();
        var seen = new HashSet<UUID>();
        var later = new ArrayList<ComingFlow>();
        for (int n = 0; n < flows.size(); n++) {
            var coming = new ComingFlow(n, flows.get(n));
            var home = parts.follow(() -> ValkeyFlows.answered(() -> home(coming.flow)));
            switch (home) {
                case Answer.Refused<Partition>(var refusal) ->
                        answers.set(n, Answer.refused(refusal));
                case Answer.Done<Partition>(var at) -> {
                    if (seen.add(coming.uuid())) {
                        places.computeIfAbsent(at, first -> new ArrayList<>()).add(coming);
                    } else {
                        later.add(coming);
                    }
                }
            }
        }
        places.forEach(
                (home, some) -> {
                    for (var part : Chunks.of(some, FlowSettling.TOGETHER, ComingFlow::bytes)) {
                        later.addAll(together(home, part, answers, parts));
                    }
                });
        for (var coming : later) {
            answers.set(
                    coming.place,
                    parts.change(() -> ValkeyFlows.answered(() -> alone(coming.flow))));
        }
        return answers;
    }

    private Partition home(FlowSubmission flow) {
        // What can never be done is refused before anything is noted.
        var unused = FlowAcceptance.number(flow, Instant.EPOCH);
        return homes.of(flow.namespace(), flow.id());
    }

    /** Submits flows of one partition, and says which of them have to be tried by themselves. */
    private List<ComingFlow> together(
            Partition home,
            List<ComingFlow> some,
            List<Answer<SubmittedFlow>> answers,
            AppliedParts parts) {
        var found =
                parts.follow(() -> homes.look(home, some.stream().map(ComingFlow::uuid).toList()));
        var drafts = new LinkedHashMap<UUID, DraftedFlow>();
        for (int n = 0; n < some.size(); n++) {
            var coming = some.get(n);
            var looked = found.get(n);
            var known =
                    parts.follow(
                            () ->
                                    ValkeyFlows.answered(
                                            () -> {
                                                var before = known(coming.flow, looked);
                                                if (before.isEmpty()) {
                                                    drafts.put(
                                                            coming.uuid(),
                                                            draft(home, coming, looked.now()));
                                                }
                                                return before;
                                            }));
            switch (known) {
                case Answer.Refused<Optional<SubmittedFlow>>(var refusal) ->
                        answers.set(coming.place, Answer.refused(refusal));
                case Answer.Done<Optional<SubmittedFlow>>(var before) ->
                        before.ifPresent(it -> answers.set(coming.place, Answer.done(it)));
            }
        }
        var again = new ArrayList<ComingFlow>();
        for (var call :
                FlowWrite.calls(drafts.values().stream().map(DraftedFlow::write).toList())) {
            var told = parts.change(() -> FlowWrite.write(valkey, home, call));
            for (int n = 0; n < call.size(); n++) {
                var coming = Objects.requireNonNull(drafts.get(call.get(n).flow())).coming;
                if (told.get(n).done()) {
                    answers.set(
                            coming.place, Answer.done(new SubmittedFlow(coming.flow.id(), true)));
                } else {
                    again.add(coming);
                }
            }
        }
        return again;
    }

    private static Optional<SubmittedFlow> known(FlowSubmission flow, FlowHomes.Look found) {
        return FlowAcceptance.repeated(flow, flow.digest(), found.flow().map(StoredFlow::record));
    }

    private SubmittedFlow alone(FlowSubmission flow) {
        var home = homes.of(flow.namespace(), flow.id());
        return GuardedWrites.retry("the flow " + flow.id(), () -> attempt(home, flow));
    }

    private Optional<SubmittedFlow> attempt(Partition home, FlowSubmission flow) {
        var found = homes.look(home, flow.id().uuid());
        var known = known(flow, found);
        if (known.isPresent()) {
            return known;
        }
        var draft = draft(home, new ComingFlow(0, flow), found.now());
        var told = draft.write.write(valkey, home);
        members.clear(told, home, draft.work);
        return told.done() ? Optional.of(new SubmittedFlow(flow.id(), true)) : Optional.empty();
    }

    private DraftedFlow draft(Partition home, ComingFlow coming, Instant now) {
        var flow = coming.flow;
        var graph = FlowAcceptance.number(flow, now);
        var record = FlowRecord.submitted(flow, flow.digest(), now);
        var work = FlowMembers.work(record, flow.members());
        var write = FlowWrite.of(record, flow.input()).connect(graph.arcs());
        members.come(write, home, work, graph.members());
        write.tell(
                FlowNews.of(record, Event.FlowStep.SUBMITTED, Optional.empty(), now), flow.tags());
        // A flow without members has nothing to wait for.
        var stored = new StoredGraph(valkey, home, coming.uuid());
        write.settle(FlowSettlement.settle(record, stored, List.of(), now, FlowSettling.MOST), now);
        return new DraftedFlow(coming, write, work);
    }
}
