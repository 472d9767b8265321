package io.flowfabric;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.submit.KeyUse;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A piece of work to be submitted, with a value as its input.
 *
 * <pre>{@code
 * fabric.submit(WELCOME.with(new Welcome("ada@example.org")).key("ada").delay(Duration.ofHours(1)));
 * }</pre>
 *
 * @param <O> what its handler returns
 */
public final class Work<O> {
    /** The tag by which work is found that a later submission takes the place of. */
    static final String DEBOUNCE = "debounced";

    private final Terms<O> terms;

    Work(
            String kind,
            @Nullable Object input,
            Class<O> resultType,
            String lane,
            Tags tags,
            Policy policy) {
        this(
                new Terms<>(
                        kind,
                        input,
                        resultType,
                        lane,
                        tags,
                        policy,
                        "",
                        Optional.empty(),
                        Optional.empty()));
    }

    private Work(Terms<O> terms) {
        this.terms = terms;
    }

    /**
     * The key of a piece of work.
     *
     * @param use what is made of a key that exists
     * @param period for how long it is the same key, if not for as long as it is used
     */
    record Key(String text, KeyUse use, Optional<Duration> period) {
        Key(String text, KeyUse use) {
            this(text, use, Optional.empty());
        }

        /** The key as it is stored. */
        String at(Instant now) {
            return period.map(
                            length ->
                                    "%s/%d/%d"
                                            .formatted(
                                                    text,
                                                    length.toMillis(),
                                                    now.toEpochMilli()
                                                            / Math.max(1, length.toMillis())))
                    .orElse(text);
        }
    }

    /**
     * What is asked for.
     *
     * @param id when the caller has chosen it
     */
    record Terms<O>(
            String kind,
            @Nullable Object input,
            Class<O> resultType,
            String lane,
            Tags tags,
            Policy policy,
            String creator,
            Optional<Key> key,
            Optional<ExecutionId> id) {
        Terms<O> lane(String other) {
            return new Terms<>(kind, input, resultType, other, tags, policy, creator, key, id);
        }

        Terms<O> tags(Tags other) {
            return new Terms<>(kind, input, resultType, lane, other, policy, creator, key, id);
        }

        Terms<O> policy(Policy other) {
            return new Terms<>(kind, input, resultType, lane, tags, other, creator, key, id);
        }

        Terms<O> creator(String other) {
            return new Terms<>(kind, input, resultType, lane, tags, policy, other, key, id);
        }

        Terms<O> key(Key other) {
            return new Terms<>(
                    kind, input, resultType, lane, tags, policy, creator, Optional.of(other), id);
        }

        Terms<O> id(ExecutionId other) {
            return new Terms<>(
                    kind, input, resultType, lane, tags, policy, creator, key, Optional.of(other));
        }
    }

    /**
     * Work of a kind that is not declared as a {@link Kind}: in the default lane, with the default
     * policy, and with a result that is read as bytes.
     */
    public static Work<Payload> of(String kind, @Nullable Object input) {
        return new Work<>(kind, input, Payload.class, "default", Tags.NONE, Policy.DEFAULT);
    }

    /** This work in another lane. */
    public Work<O> lane(String other) {
        return new Work<>(terms.lane(other));
    }

    /**
     * This work under a key: there is one such piece of work in the namespace, for as long as it is
     * kept. Submitting the key again finds the one that there is, whatever its input.
     */
    public Work<O> key(String key) {
        return new Work<>(terms.key(new Key(key, KeyUse.IF_ABSENT)));
    }

    /**
     * This work under a key, of which the same content may be submitted again: other content under
     * the same key is refused, as a {@code Conflict} that names the existing work.
     */
    public Work<O> exactKey(String key) {
        return new Work<>(terms.key(new Key(key, KeyUse.EXACT)));
    }

    /**
     * This work under a key, of which there is one at a time: submitting the key again finds the
     * one that there is, whatever its input, until that has ended.
     */
    public Work<O> uniqueWhilePending(String key) {
        return new Work<>(terms.key(new Key(key, KeyUse.WHILE_PENDING)));
    }

    /**
     * This work at most once in a period: further submissions of the key within it find the first
     * one. Periods begin at whole multiples of their length, by the clock of the submitter.
     */
    public Work<O> throttle(String key, Duration period) {
        return new Work<>(terms.key(new Key(key, KeyUse.IF_ABSENT, Optional.of(period))));
    }

    /**
     * This work once the key has not been submitted for so long, by {@link FlowFabric#submit(Work)}
     * or {@link FlowFabric#submitAll}: it waits that long, and work of the same kind that was
     * submitted with the key before, and was never begun, is cancelled. A submitter that dies
     * between the two leaves both, and so may two that submit in the same moment.
     */
    public Work<O> debounce(String key, Duration quiet) {
        return tag(DEBOUNCE, terms.kind + "/" + key).delay(quiet);
    }

    /** This work with one tag more. */
    public Work<O> tag(String key, String value) {
        return new Work<>(terms.tags(terms.tags.with(key, value)));
    }

    /** This work, asked for by someone. */
    public Work<O> creator(String other) {
        return new Work<>(terms.creator(other));
    }

    /** This work with another policy, made from the one that it has. */
    public Work<O> policy(UnaryOperator<Policy> change) {
        return new Work<>(terms.policy(change.apply(terms.policy)));
    }

    /** This work, which starts so much later. */
    public Work<O> delay(Duration wait) {
        return policy(before -> before.start(Due.in(wait)));
    }

    /** This work, which does not start before a moment. */
    public Work<O> startAt(Instant moment) {
        return policy(before -> before.start(Due.at(moment)));
    }

    /** This work with another priority, 0 to 9000, higher first. */
    public Work<O> priority(int other) {
        return policy(before -> before.priority(other));
    }

    /** This work with other retries. */
    public Work<O> retry(Retry other) {
        return policy(before -> before.retry(other));
    }

    /** This work, counted against a quota together with all work that names the same key. */
    public Work<O> quota(String quota, String key) {
        return policy(before -> before.quota(quota, key));
    }

    /** This work, which draws on a budget. */
    public Work<O> budget(String budget) {
        return policy(before -> before.budget(budget));
    }

    /**
     * This work under an id that the caller has minted, so that a submission can be repeated after
     * its answer was lost.
     *
     * @param id from {@link ExecutionId#mint(Namespace)}
     */
    public Work<O> id(ExecutionId id) {
        return new Work<>(terms.id(id));
    }

    Terms<O> terms() {
        return terms;
    }

    @Override
    public String toString() {
        return "Work of the kind " + terms.kind;
    }
}
