package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.StreamDraft;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.record.FrameRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * How frames are appended: it is read how their streams stand, the core decides, and what is new is
 * written unless a stream has gone on meanwhile; then all is done again.
 */
final class ValkeyAppends {
    /** What one call takes. */
    private static final int CHUNK = 1000;

    /** One worker writes to a stream: so often only a worker meets itself that repeats its call. */
    private static final int TURNS = 10;

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;

    ValkeyAppends(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    List<Answer<Long>> append(List<Append> appends) {
        Limit.BATCH.checkCount("appends", appends.size());
        var parts = new AppliedParts();
        var answers = new ArrayList<Answer<Long>>();
        for (var some : Chunks.of(appends, CHUNK, Append::bytes)) {
            answers.addAll(append(parts, some));
        }
        return answers;
    }

    /** What is appended under one fence, in its order, with the places of the answers. */
    private record Group(Fence fence, List<Append> appends, List<Integer> places) {
        boolean patches() {
            return appends.stream().anyMatch(append -> append.mode() == FrameMode.SUMMARY);
        }
    }

    /** What appends have come to, before it is written. */
    private record Drafted(Group group, StreamDraft draft, List<Answer<Long>> answers) {}

    private List<Answer<Long>> append(AppliedParts parts, List<Append> appends) {
        var byFence = new LinkedHashMap<Fence, Group>();
        for (int i = 0; i < appends.size(); i++) {
            var group =
                    byFence.computeIfAbsent(
                            appends.get(i).fence(),
                            fence -> new Group(fence, new ArrayList<>(), new ArrayList<>()));
            group.appends.add(appends.get(i));
            group.places.add(i);
        }
        var groups = List.copyOf(byFence.values());
        var answers = new ArrayList<Answer<Long>>(Collections.nCopies(appends.size(), null));
        valkey.homes()
                .visit(
                        parts,
                        groups.stream().map(group -> group.fence.execution()).toList(),
                        (home, places) -> {
                            var unknown = new ArrayList<Integer>();
                            var left = places;
                            for (int turn = 0; turn < TURNS && !left.isEmpty(); turn++) {
                                left = turn(parts, home, groups, left, answers, unknown);
                            }
                            left.forEach(
                                    place ->
                                            refuse(
                                                    groups.get(place),
                                                    answers,
                                                    new Contended(
                                                            "the stream of "
                                                                    + groups.get(place).fence,
                                                            RETRY_AFTER)));
                            return unknown;
                        });
        return answers;
    }

    /** Reads, decides and writes. Answers those whose streams have gone on meanwhile. */
    private List<Integer> turn(
            AppliedParts parts,
            Partition home,
            List<Group> groups,
            List<Integer> places,
            List<Answer<Long>> answers,
            List<Integer> unknown) {
        var some = places.stream().map(groups::get).toList();
        var read =
                parts.follow(
                        () ->
                                valkey.read(
                                        "stream_standings",
                                        home,
                                        out -> out.list(some, ValkeyAppends::ask)));
        var changed = new ArrayList<Integer>();
        var drafts = new ArrayList<Drafted>();
        for (int n = 0; n < some.size(); n++) {
            if (ValkeyLeases.isUnknown(read.answer().at(n))) {
                unknown.add(places.get(n));
            }
            var drafted = drafted(some.get(n), read, n, answers);
            if (drafted.isPresent() && drafted.get().draft.changed()) {
                changed.add(places.get(n));
                drafts.add(drafted.get());
            } else {
                drafted.ifPresent(one -> answer(one, answers));
            }
        }
        if (drafts.isEmpty()) {
            return List.of();
        }
        var written =
                parts.change(
                        () ->
                                valkey.call(
                                        "append",
                                        home,
                                        out -> out.list(drafts, ValkeyAppends::write)));
        return unwritten(written.answer(), changed, drafts, answers);
    }

    private static List<Integer> unwritten(
            Item written, List<Integer> places, List<Drafted> drafts, List<Answer<Long>> answers) {
        var again = new ArrayList<Integer>();
        for (int n = 0; n < drafts.size(); n++) {
            var told = written.at(n);
            if (told.at(0) instanceof Item.Truth) {
                answer(drafts.get(n), answers);
            } else if (told.at(0).text().equals("again")) {
                again.add(places.get(n));
            } else {
                refuseUnheld(drafts.get(n).group, told, answers);
            }
        }
        return again;
    }

    /** What appends come to; nothing when they are refused because of how the execution stands. */
    private static Optional<Drafted> drafted(
            Group group, Told read, int n, List<Answer<Long>> answers) {
        var told = read.answer().at(n);
        if (!(told.at(0) instanceof Item.Truth)) {
            refuseUnheld(group, told, answers);
            return Optional.empty();
        }
        try {
            var draft =
                    new StreamDraft(
                            FrameRecord.standing(told.at(1), told.at(2)),
                            FrameRecord.read(told.at(3)),
                            read.now());
            var decided = group.appends.stream().map(draft::append).toList();
            return Optional.of(new Drafted(group, draft, decided));
        } catch (Item.Unreadable damaged) {
            var what = "The execution " + group.fence.execution();
            refuse(group, answers, StoreFailure.unreadable(what, damaged));
            return Optional.empty();
        }
    }

    private static void answer(Drafted drafted, List<Answer<Long>> answers) {
        for (int n = 0; n < drafted.answers.size(); n++) {
            answers.set(drafted.group.places.get(n), drafted.answers.get(n));
        }
    }

    private static void refuseUnheld(Group group, Item told, List<Answer<Long>> answers) {
        FlowFabricException refusal;
        try {
            refusal = ValkeyLeases.standing(group.fence, told).lost(group.fence);
        } catch (FlowFabricException gone) {
            refusal = gone;
        }
        refuse(group, answers, refusal);
    }

    private static void refuse(
            Group group, List<Answer<Long>> answers, FlowFabricException refusal) {
        group.places.forEach(place -> answers.set(place, Answer.refused(refusal)));
    }

    private static void ask(Packer out, Group group) {
        out.list(6);
        ValkeyLeases.fence(out, group.fence);
        out.truth(group.patches())
                .list(group.appends, (inner, append) -> inner.number(append.position()));
    }

    private static void write(Packer out, Drafted drafted) {
        var draft = drafted.draft;
        boolean patched = draft.after().version() > draft.before().version();
        out.list(8);
        ValkeyLeases.fence(out, drafted.group.fence);
        out.number(draft.before().next());
        FrameRecord.write(out, draft.after());
        out.optional(
                patched ? Optional.of(draft.after().document()) : Optional.empty(),
                (inner, document) -> inner.text(document));
        out.list(draft.added(), (inner, added) -> FrameRecord.write(inner, added));
    }
}
