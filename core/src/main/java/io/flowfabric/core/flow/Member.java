package io.flowfabric.core.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;
import io.flowfabric.core.submit.Submission;

import java.util.Objects;

/**
 * An execution as a part of a flow.
 *
 * @param name unique in its flow
 * @param work what is to be done; it has no idempotency key of its own, because its flow has one
 * @param join how many of those that it comes after it needs
 * @param growing whether edges into it may still come: until it is sealed it neither starts nor is
 *     skipped
 */
public record Member(String name, Submission work, Join join, boolean growing) {
    public Member {
        Text.name("member", name, Limit.NAME_BYTES);
        Objects.requireNonNull(join, "join");
        if (work.key().isPresent()) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "member " + name,
                    "A member has no idempotency key of its own: give one to the flow.");
        }
    }

    /** A member that needs all of those that it comes after. */
    public static Member of(String name, Submission work) {
        return new Member(name, work, Join.ALL_OF, false);
    }

    /** This member with another join. */
    public Member join(Join other) {
        return new Member(name, work, other, growing);
    }

    /** This member, into which edges may come until it is sealed. */
    public Member unsealed() {
        return new Member(name, work, join, true);
    }

    /** This member with other work. */
    public Member work(Submission other) {
        return new Member(name, other, join, growing);
    }

    void digest(Digest.Builder digest) {
        // Without the id: a program that submits a flow again by its key mints other ones.
        digest.text(name).text(work.digest().hex());
        join.digest(digest);
        digest.number(growing ? 1 : 0);
    }
}
