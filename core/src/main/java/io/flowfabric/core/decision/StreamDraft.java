package io.flowfabric.core.decision;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Text;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.MergePatch;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.core.stream.StreamFrame;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What appends come to, one after the other, in the stream of an attempt whose lease holds. A store
 * then writes the new frames and how the stream stands after them.
 */
public final class StreamDraft {
    private final StreamStanding before;
    private final Instant now;
    private final Map<Long, StreamFrame> known;
    private final List<NewFrame> added = new ArrayList<>();
    private StreamStanding standing;

    /**
     * A frame that was appended.
     *
     * @param number which of the frames that do not stay it is, from 1; 0 when it stays
     */
    public record NewFrame(StreamFrame frame, long number) {}

    /**
     * @param kept frames that there are, at least those at positions that are appended to again
     */
    public StreamDraft(StreamStanding before, Iterable<StreamFrame> kept, Instant now) {
        this.before = before;
        this.standing = before;
        this.now = now.isBefore(before.at()) ? before.at() : now;
        this.known = new TreeMap<>();
        kept.forEach(frame -> known.put(frame.position(), frame));
    }

    /** Appends a frame, or finds that it is there already. Answers the position behind it. */
    public Answer<Long> append(Append append) {
        try {
            if (append.position() < standing.next()) {
                mustBeThere(append);
            } else {
                add(append);
            }
            return Answer.done(append.position() + 1);
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }

    /** One that is gone cannot be compared any more; it was appended, and so is its repeat. */
    private void mustBeThere(Append append) {
        var first = known.get(append.position());
        if (first != null && !append.says(first)) {
            throw Conflicts.appendedDifferently(append.fence(), append.position());
        }
    }

    private void add(Append append) {
        if (append.position() > standing.next()) {
            throw Conflicts.notNext(append.fence(), append.position(), standing.next());
        }
        var frame = append.at(now);
        boolean stays = !append.mode().passing();
        if (stays) {
            Limit.FRAMES.checkCount("frames", standing.frames() + 1);
            Limit.STREAM_BYTES.checkSize("frames", standing.bytes() + append.bytes(), "bytes");
        }
        boolean patches = append.mode() == FrameMode.SUMMARY;
        var document = patches ? patched(append) : standing.document();
        standing =
                new StreamStanding(
                        standing.next() + 1,
                        standing.frames() + (stays ? 1 : 0),
                        standing.bytes() + (stays ? append.bytes() : 0),
                        standing.passing() + (stays ? 0 : 1),
                        now,
                        standing.version() + (patches ? 1 : 0),
                        document);
        known.put(frame.position(), frame);
        added.add(new NewFrame(frame, stays ? 0 : standing.passing()));
    }

    private String patched(Append append) {
        var patched = MergePatch.apply(document(append), patch(append)).toString();
        Limit.SUMMARY_BYTES.checkSize("summary", Text.utf8Length(patched), "bytes");
        return patched;
    }

    private Json.JsonObject document(Append append) {
        try {
            return standing.document().isEmpty()
                    ? Json.JsonObject.EMPTY
                    : Json.parseObject(standing.document());
        } catch (IllegalArgumentException damaged) {
            throw StoreFailure.unreadable(
                    "The summary of attempt %d of %s"
                            .formatted(append.fence().attempt(), append.fence().execution()),
                    damaged);
        }
    }

    private static Json.JsonObject patch(Append append) {
        try {
            var decoder = StandardCharsets.UTF_8.newDecoder();
            return Json.parseObject(decoder.decode(append.payload().view()).toString());
        } catch (CharacterCodingException | IllegalArgumentException broken) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_PATCH,
                    "payload",
                    "A summary is changed by a JSON object in UTF-8, and this is none: %s."
                            .formatted(broken.getMessage()));
        }
    }

    /** Whether anything was appended. */
    public boolean changed() {
        return !added.isEmpty();
    }

    /** The new frames that are kept. */
    public List<NewFrame> added() {
        long gone = standing.gone();
        return added.stream().filter(one -> one.number == 0 || one.number > gone).toList();
    }

    /** How the stream stood before. */
    public StreamStanding before() {
        return before;
    }

    /** How the stream stands now. */
    public StreamStanding after() {
        return standing;
    }
}
