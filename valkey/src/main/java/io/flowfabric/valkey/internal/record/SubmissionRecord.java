package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.Optional;
import java.util.TreeMap;

/** How a submission is stored: never changed, and read by this program alone. */
public final class SubmissionRecord {
    /** Larger inputs are kept apart, so that they are read only where they are wanted. */
    private static final int INLINE = 512;

    private SubmissionRecord() {}

    /** A policy, as it stands in what was submitted. */
    public static String write(Policy policy) {
        var written = PolicyCodec.write(policy);
        return written.fields().isEmpty() ? "" : written.toString();
    }

    /**
     * Everything but the id, and a large input.
     *
     * @param policy its policy, as it is written: many have the same one
     */
    public static byte[] write(Submission submission, String policy, Digest digest) {
        var packer = new Packer().list(9);
        packer.text(submission.lane().namespace().name())
                .text(submission.lane().name())
                .text(submission.kind())
                .text(submission.creator())
                .optional(submission.key(), Packer::text)
                .list(
                        submission.tags().values().entrySet(),
                        (out, tag) -> out.list(2).text(tag.getKey()).text(tag.getValue()))
                .text(policy)
                .digest(digest);
        return (isApart(submission) ? packer.absent() : payload(packer, submission.input())).done();
    }

    /** A large input. */
    public static Optional<byte[]> apart(Submission submission) {
        return isApart(submission)
                ? Optional.of(payload(new Packer(), submission.input()).done())
                : Optional.empty();
    }

    /** Whether its input is a large one. */
    public static boolean isApart(Submission submission) {
        return submission.input().size() > INLINE;
    }

    /** Most work has no input, or no result: that is an empty list. */
    private static Packer payload(Packer packer, Payload payload) {
        if (payload.equals(Payload.EMPTY)) {
            return packer.list(0);
        }
        return packer.list(2).text(payload.contentType()).bytes(payload.bytes());
    }

    public static byte[] write(Payload payload) {
        return payload(new Packer(), payload).done();
    }

    public static Payload payload(Item item) {
        if (item.list().isEmpty()) {
            return Payload.EMPTY;
        }
        return Payload.of(item.at(1).bytes(), item.at(0).text());
    }

    /**
     * What was submitted.
     *
     * @param stored as {@link #write} wrote it
     * @param apart the input, if it is kept apart
     * @throws Item.Unreadable when it is damaged, or of a newer program
     */
    public static Submission read(ExecutionId id, Item stored, Item apart) {
        return Item.decoded(
                () -> {
                    var fields = Item.read(stored.bytes());
                    var input =
                            fields.at(8)
                                    .optional(SubmissionRecord::payload)
                                    .orElseGet(() -> payload(Item.read(apart.bytes())));
                    return read(id, fields, input);
                });
    }

    /** What was submitted, for those who do not look at its input. */
    public static Submission withoutInput(ExecutionId id, Item stored) {
        return Item.decoded(() -> read(id, Item.read(stored.bytes()), Payload.EMPTY));
    }

    /** The tags of what was submitted. */
    public static Tags tags(Item stored) {
        return Item.decoded(() -> tagsOf(Item.read(stored.bytes()).at(5)));
    }

    /** Tags, as they stand in what was submitted. */
    public static Tags tagsOf(Item list) {
        var tags = new TreeMap<String, String>();
        list.list().forEach(tag -> tags.put(tag.at(0).text(), tag.at(1).text()));
        return new Tags(tags);
    }

    private static Submission read(ExecutionId id, Item fields, Payload input) {
        var policy = fields.at(6).text();
        return new Submission(
                id,
                lane(fields),
                fields.at(2).text(),
                input,
                fields.at(3).text(),
                fields.at(4).optional(Item::text),
                tagsOf(fields.at(5)),
                PolicyCodec.read(
                        policy.isEmpty() ? Json.JsonObject.EMPTY : Json.parseObject(policy)));
    }

    /** The digest of what was submitted. */
    public static Digest digest(Item stored) {
        return Item.decoded(() -> Item.read(stored.bytes()).at(7).digest());
    }

    private static Lane lane(Item fields) {
        return new Lane(new Namespace(fields.at(0).text()), fields.at(1).text());
    }
}
