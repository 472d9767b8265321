package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.decision.StreamDraft;
import io.flowfabric.core.decision.StreamDraft.NewFrame;
import io.flowfabric.core.decision.StreamStanding;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.step.FactsReader;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * How frames are appended: the executions are locked, the core decides by how their streams stand,
 * and all that is new is written in one statement.
 */
final class FrameWriter {
    /** What one commit takes. */
    private static final int CHUNK = 1000;

    private final PostgresContext postgres;

    FrameWriter(PostgresContext postgres) {
        this.postgres = postgres;
    }

    List<Answer<Long>> write(List<Append> appends) {
        Limit.BATCH.checkCount("appends", appends.size());
        var answers = new ArrayList<Answer<Long>>();
        for (var part : Chunks.of(appends, CHUNK, Append::bytes)) {
            var written = postgres.db().transaction(tx -> write(tx, part));
            postgres.streamed(written.streamed);
            answers.addAll(written.answers);
        }
        return answers;
    }

    /** The answers, and the executions whose streams went on. */
    private record Written(List<Answer<Long>> answers, Set<UUID> streamed) {}

    /**
     * What is appended to a stream, and what comes of it.
     *
     * @param unreadable whether what it is compared with cannot be read
     */
    private record Draft(Fence fence, StreamDraft stream, boolean unreadable) {
        Answer<Long> append(Append append) {
            return unreadable
                    ? Answer.refused(FactsReader.unreadable(fence.execution()))
                    : stream.append(append);
        }

        UUID id() {
            return fence.execution().uuid();
        }

        int attempt() {
            return fence.attempt();
        }

        StreamStanding after() {
            return stream.after();
        }
    }

    /** A new frame, and where it belongs. */
    private record Row(Draft draft, NewFrame added) {
        StreamFrame frame() {
            return added.frame();
        }
    }

    private Written write(Jdbc tx, List<Append> appends) {
        var drafts = drafts(tx, appends);
        var lost =
                appends.stream()
                        .map(Append::fence)
                        .filter(fence -> !drafts.containsKey(fence))
                        .collect(Collectors.toSet());
        var standings = LeaseStandings.read(tx, lost);
        var answers = new ArrayList<Answer<Long>>();
        for (Append append : appends) {
            var draft = drafts.get(append.fence());
            answers.add(
                    draft == null
                            ? Answer.refused(standings.lost(append.fence()))
                            : draft.append(append));
        }
        var changed = drafts.values().stream().filter(draft -> draft.stream.changed()).toList();
        if (!changed.isEmpty()) {
            store(tx, changed);
        }
        return new Written(answers, changed.stream().map(Draft::id).collect(Collectors.toSet()));
    }

    /** The streams of those whose fence holds, which it does until the end of the transaction. */
    private Map<Fence, Draft> drafts(Jdbc tx, List<Append> appends) {
        var moments = held(tx, appends.stream().map(Append::fence).distinct().toList());
        var held = appends.stream().filter(one -> moments.containsKey(one.fence())).toList();
        if (held.isEmpty()) {
            return Map.of();
        }
        var standings = standings(tx, moments.keySet(), held);
        var kept =
                kept(
                        tx,
                        held.stream()
                                .filter(
                                        one ->
                                                one.position()
                                                        < standing(standings, one.fence()).next())
                                .toList());
        var drafts = new HashMap<Fence, Draft>();
        moments.forEach(
                (fence, now) ->
                        drafts.put(
                                fence,
                                new Draft(
                                        fence,
                                        new StreamDraft(
                                                standing(standings, fence),
                                                kept.frames.getOrDefault(
                                                        fence.execution().uuid(), List.of()),
                                                now),
                                        kept.unreadable.contains(fence.execution().uuid()))));
        return drafts;
    }

    private static StreamStanding standing(Map<UUID, StreamStanding> standings, Fence fence) {
        return standings.getOrDefault(fence.execution().uuid(), StreamStanding.EMPTY);
    }

    /** The fences that hold, with the time. */
    private Map<Fence, Instant> held(Jdbc tx, List<Fence> fences) {
        var held = new HashMap<Fence, Instant>();
        FenceColumns.set(tx.query("lock_streams"), fences, fence -> fence)
                .set("now", postgres.now())
                .each(
                        row ->
                                held.put(
                                        new Fence(
                                                RowCodec.id(row),
                                                row.intValue("attempt"),
                                                row.longValue("epoch")),
                                        RowCodec.moment(row, "now")));
        return held;
    }

    private static Map<UUID, StreamStanding> standings(
            Jdbc tx, Set<Fence> fences, List<Append> appends) {
        var patched =
                appends.stream()
                        .filter(append -> append.mode() == FrameMode.SUMMARY)
                        .map(Append::fence)
                        .collect(Collectors.toSet());
        var standings = new HashMap<UUID, StreamStanding>();
        tx.query("stream_standings")
                .uuids("ids", fences, fence -> fence.execution().uuid())
                .ints("attempts", fences, Fence::attempt)
                .booleans("patched", fences, patched::contains)
                .each(
                        row ->
                                standings.put(
                                        row.uuid("id"),
                                        new StreamStanding(
                                                row.longValue("next"),
                                                row.intValue("frames"),
                                                row.longValue("bytes"),
                                                row.longValue("passing"),
                                                RowCodec.moment(row, "at"),
                                                row.longValue("version"),
                                                row.text("document"))));
        return standings;
    }

    /** The frames that there are, and the executions of some that this program cannot read. */
    private record Kept(Map<UUID, List<StreamFrame>> frames, Set<UUID> unreadable) {}

    /** The frames at positions that are appended to again; for none, without asking the server. */
    private static Kept kept(Jdbc tx, List<Append> again) {
        var kept = new Kept(new HashMap<>(), new HashSet<>());
        if (!again.isEmpty()) {
            tx.query("frames_at")
                    .uuids("ids", again, append -> append.fence().execution().uuid())
                    .ints("attempts", again, append -> append.fence().attempt())
                    .longs("places", again, Append::position)
                    .each(
                            row -> {
                                var id = row.uuid("id");
                                try {
                                    kept.frames
                                            .computeIfAbsent(id, first -> new ArrayList<>())
                                            .add(RowCodec.frame(row));
                                } catch (IllegalArgumentException | Invalid unknown) {
                                    kept.unreadable.add(id);
                                }
                            });
        }
        return kept;
    }

    private static void store(Jdbc tx, List<Draft> drafts) {
        var rows = new ArrayList<Row>();
        drafts.forEach(draft -> draft.stream.added().forEach(one -> rows.add(new Row(draft, one))));
        tx.query("append")
                .uuids("ids", drafts, Draft::id)
                .ints("attempts", drafts, Draft::attempt)
                .longs("nexts", drafts, draft -> draft.after().next())
                .ints("frames", drafts, draft -> draft.after().frames())
                .longs("bytes", drafts, draft -> draft.after().bytes())
                .longs("passings", drafts, draft -> draft.after().passing())
                .longs("ats", drafts, draft -> draft.after().at().toEpochMilli())
                .longs("versions", drafts, draft -> draft.after().version())
                .texts("documents", drafts, FrameWriter::document)
                .longs("gone_before", drafts, draft -> draft.stream.before().gone())
                .longs("gone_now", drafts, draft -> draft.after().gone())
                .uuids("frame_ids", rows, row -> row.draft.id())
                .ints("frame_attempts", rows, row -> row.draft.attempt())
                .longs("places", rows, row -> row.frame().position())
                .longs("numbers", rows, row -> row.added.number() == 0 ? null : row.added.number())
                .texts("modes", rows, row -> RowCodec.word(row.frame().mode()))
                .texts("types", rows, row -> row.frame().type())
                .texts("content_types", rows, row -> RowCodec.type(row.frame().payload()))
                .bytes("contents", rows, row -> row.frame().payload().bytes())
                .longs("frame_ats", rows, row -> row.frame().at().toEpochMilli())
                .update();
    }

    /** The summary; null leaves the one that there is. */
    private static @Nullable String document(Draft draft) {
        boolean patched = draft.after().version() > draft.stream.before().version();
        return patched ? draft.after().document() : null;
    }
}
