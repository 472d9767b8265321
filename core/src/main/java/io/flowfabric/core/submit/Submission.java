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
 * @param key unique in the namespace for as long as the execution is kept, or until another
 *     submission takes it over
 * @param keyUse what becomes of this submission when an execution has the key already
 */
public record Submission(
        ExecutionId id,
        Lane lane,
        String kind,
        Payload input,
        String creator,
        Optional<String> key,
        KeyUse keyUse,
        Tags tags,
        Policy policy) {

    public Submission {
        Text.name("kind", kind, Limit.NAME_BYTES);
        Limit.INPUT_BYTES.checkSize("input", input.size(), "bytes");
        Text.line("creator", creator, Limit.NAME_BYTES);
        key.ifPresent(k -> Text.name("idempotency key", k, Limit.NAME_BYTES));
    }

    /** Work whose key, if it has one, is for this content alone. */
    public Submission(
            ExecutionId id,
            Lane lane,
            String kind,
            Payload input,
            String creator,
            Optional<String> key,
            Tags tags,
            Policy policy) {
        this(id, lane, kind, input, creator, key, KeyUse.EXACT, tags, policy);
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
        return new Submission(other, lane, kind, input, creator, key, keyUse, tags, policy);
    }

    /** Puts it into another lane. A minted id moves with it into the lane's namespace. */
    public Submission lane(Lane other) {
        var there = id.moved(lane.namespace(), other.namespace());
        return new Submission(there, other, kind, input, creator, key, keyUse, tags, policy);
    }

    /** Puts it into the lane of that name, in the namespace that it is in. */
    public Submission lane(String name) {
        return lane(new Lane(lane.namespace(), name));
    }

    /** This submission by another creator. */
    public Submission creator(String other) {
        return new Submission(id, lane, kind, input, other, key, keyUse, tags, policy);
    }

    /**
     * This submission with an idempotency key, unique in its namespace. The key is for this content
     * alone: {@link KeyUse#EXACT}.
     */
    public Submission key(String other) {
        return key(other, KeyUse.EXACT);
    }

    /** This submission with an idempotency key, unique in its namespace, and how it is used. */
    public Submission key(String other, KeyUse use) {
        return new Submission(
                id, lane, kind, input, creator, Optional.of(other), use, tags, policy);
    }

    /** This submission with one tag more. */
    public Submission tag(String name, String value) {
        return new Submission(
                id, lane, kind, input, creator, key, keyUse, tags.with(name, value), policy);
    }

    /** This submission with another policy. */
    public Submission policy(Policy other) {
        return new Submission(id, lane, kind, input, creator, key, keyUse, tags, other);
    }

    /**
     * The fingerprint of everything but the id and the use of the key: two submissions with the
     * same one ask for the same.
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
