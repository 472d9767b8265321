package io.flowfabric;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Tags;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * A kind of work, declared once: its name, the types of its input and its result, its lane, and how
 * it is treated. A submission may change everything but the name and the types.
 *
 * <pre>{@code
 * static final Kind<Welcome, Receipt> WELCOME =
 *         Kind.of("welcome", Welcome.class, Receipt.class).lane("emails").retries(5);
 * }</pre>
 *
 * @param <I> what is submitted
 * @param <O> what its handler returns
 */
public final class Kind<I, O> {
    private final String name;
    private final Class<I> inputType;
    private final Class<O> resultType;
    private final String lane;
    private final Policy policy;
    private final Tags tags;

    private Kind(
            String name,
            Class<I> inputType,
            Class<O> resultType,
            String lane,
            Policy policy,
            Tags tags) {
        this.name = Text.name("kind", name, Limit.NAME_BYTES);
        this.inputType = inputType;
        this.resultType = resultType;
        this.lane = lane;
        this.policy = policy;
        this.tags = tags;
    }

    /**
     * A kind in the default lane, with the default policy.
     *
     * @param name by which workers know it, and by which it is stored
     * @param resultType {@code Void.class} when its handler returns nothing
     */
    public static <I, O> Kind<I, O> of(String name, Class<I> inputType, Class<O> resultType) {
        return new Kind<>(name, inputType, resultType, "default", Policy.DEFAULT, Tags.NONE);
    }

    /** A kind whose handler returns nothing, in the default lane, with the default policy. */
    public static <I> Kind<I, Void> of(String name, Class<I> inputType) {
        return of(name, inputType, Void.class);
    }

    /** This kind in another lane. */
    public Kind<I, O> lane(String other) {
        return new Kind<>(name, inputType, resultType, other, policy, tags);
    }

    /** This kind with another policy, made from the one that it has. */
    public Kind<I, O> policy(UnaryOperator<Policy> change) {
        return new Kind<>(name, inputType, resultType, lane, change.apply(policy), tags);
    }

    /** This kind with one tag more on all of its work. */
    public Kind<I, O> tag(String key, String value) {
        return new Kind<>(name, inputType, resultType, lane, policy, tags.with(key, value));
    }

    /** This kind with so many retries, from a second up to a minute apart. */
    public Kind<I, O> retries(int max) {
        return retry(Retry.retries(max));
    }

    /** This kind with other retries. */
    public Kind<I, O> retry(Retry other) {
        return policy(before -> before.retry(other));
    }

    /** This kind with a longest time for one run of its handler. */
    public Kind<I, O> timeout(Duration other) {
        return policy(before -> before.attemptTimeout(other));
    }

    /** This kind with a time after which its work expires, whatever it is doing then. */
    public Kind<I, O> deadline(Duration other) {
        return policy(before -> before.deadline(Due.in(other)));
    }

    /** This kind with another priority, 0 to 9000, higher first. */
    public Kind<I, O> priority(int other) {
        return policy(before -> before.priority(other));
    }

    /** This kind, counted against a quota. */
    public Kind<I, O> quota(String quota) {
        return policy(before -> before.quota(quota));
    }

    /** This kind, which draws on a budget. */
    public Kind<I, O> budget(String budget) {
        return policy(before -> before.budget(budget));
    }

    /** This kind, for workers that offer these capabilities. */
    public Kind<I, O> needs(String... capabilities) {
        return policy(before -> before.needs(Capabilities.of(capabilities)));
    }

    /** A piece of work of this kind. */
    public Work<O> with(@Nullable I input) {
        return new Work<>(name, input, resultType, lane, tags, policy);
    }

    /** By which workers know it, and by which it is stored. */
    public String name() {
        return name;
    }

    /** What is submitted. */
    public Class<I> inputType() {
        return inputType;
    }

    /** What its handler returns. */
    public Class<O> resultType() {
        return resultType;
    }

    /** The lane that its work goes to, unless a submission says otherwise. */
    public String lane() {
        return lane;
    }

    /** How its work is treated, unless a submission says otherwise. */
    public Policy policy() {
        return policy;
    }

    @Override
    public String toString() {
        return "The kind " + name;
    }
}
