package io.flowfabric.core.submit;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Policy;

import java.util.Optional;

/**
 * A piece of work to be done.
 *
 * @param id minted by the caller's process before the call, so that a repeated submission is the
 *     same submission
 * @param kind which handler it is for
 * @param creator who asked for it; may be empty
 * @param key unique in the namespace for as long as the execution is kept
 */
public record Submission(
        ExecutionId id,
        Lane lane,
        String kind,
        Payload input,
        String creator,
        Optional<String> key,
        Tags tags,
        Policy policy) {

    public Submission {
        Text.name("kind", kind, Limit.NAME_BYTES);
        Limit.INPUT_BYTES.checkSize("input", input.size(), "bytes");
        Text.line("creator", creator, Limit.NAME_BYTES);
        key.ifPresent(k -> Text.name("idempotency key", k, Limit.NAME_BYTES));
    }

    /** Work of a kind with an input, in the default lane, with the default policy and a new id. */
    public static Submission of(String kind, Payload input) {
        return new Submission(
                ExecutionId.mint(),
                Lane.DEFAULT,
                kind,
                input,
                "",
                Optional.empty(),
                Tags.NONE,
                Policy.DEFAULT);
    }

    /** This submission under another id. */
    public Submission id(ExecutionId other) {
        return new Submission(other, lane, kind, input, creator, key, tags, policy);
    }

    /** Puts it into another lane. A minted id moves with it into the lane's namespace. */
    public Submission lane(Lane other) {
        var there = id.moved(lane.namespace(), other.namespace());
        return new Submission(there, other, kind, input, creator, key, tags, policy);
    }

    /** This submission by another creator. */
    public Submission creator(String other) {
        return new Submission(id, lane, kind, input, other, key, tags, policy);
    }

    /** This submission with an idempotency key, unique in its namespace. */
    public Submission key(String other) {
        return new Submission(id, lane, kind, input, creator, Optional.of(other), tags, policy);
    }

    /** This submission with one tag more. */
    public Submission tag(String name, String value) {
        return new Submission(id, lane, kind, input, creator, key, tags.with(name, value), policy);
    }

    /** This submission with another policy. */
    public Submission policy(Policy other) {
        return new Submission(id, lane, kind, input, creator, key, tags, other);
    }

    /**
     * The fingerprint of everything but the id: two submissions with the same one ask for the same.
     */
    public Digest digest() {
        var digest =
                Digest.of("submission")
                        .text(lane.namespace().name())
                        .text(lane.name())
                        .text(kind)
                        .payload(input)
                        .text(creator);
        digest.number(key.isPresent() ? 1 : 0).text(key.orElse(""));
        digest.number(tags.values().size());
        tags.values().forEach((name, value) -> digest.text(name).text(value));
        policy.digest(digest);
        return digest.done();
    }
}
