package io.flowfabric.testkit.contract;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Answer.Refused;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;

import org.assertj.core.api.AbstractObjectAssert;
import org.assertj.core.api.Assertions;

/** What a store said about one item. */
final class AnswerAssert<T> extends AbstractObjectAssert<AnswerAssert<T>, Answer<T>> {
    AnswerAssert(Answer<T> actual) {
        super(actual, AnswerAssert.class);
    }

    AnswerAssert<T> isDone() {
        Assertions.assertThat(actual).as(info.description()).isInstanceOf(Answer.Done.class);
        return this;
    }

    AnswerAssert<T> isDone(T value) {
        Assertions.assertThat(actual).as(info.description()).isEqualTo(Answer.done(value));
        return this;
    }

    AnswerAssert<T> isRefused() {
        Assertions.assertThat(actual).as(info.description()).isInstanceOf(Refused.class);
        return this;
    }

    AnswerAssert<T> isLeaseLost() {
        refusal(LeaseLost.class);
        return this;
    }

    /** Lost, and told what the execution is instead. */
    AnswerAssert<T> isLeaseLost(PublicState state, int attempts) {
        var lost = refusal(LeaseLost.class);
        has("state", lost.state(), state);
        has("attempts", lost.attempts(), attempts);
        return this;
    }

    /** Lost, and told which lease or grant was given last. */
    AnswerAssert<T> isLeaseLostAt(long epoch) {
        has("epoch", refusal(LeaseLost.class).epoch(), epoch);
        return this;
    }

    AnswerAssert<T> isConflict(Conflict.Code code) {
        has("code", refusal(Conflict.class).code(), code);
        return this;
    }

    /** A contradiction of what is named. */
    AnswerAssert<T> isConflict(Conflict.Code code, ExecutionId existing) {
        isConflict(code);
        has("existing", refusal(Conflict.class).existing(), existing.toString());
        return this;
    }

    /** Refused with a message that contains this text. */
    AnswerAssert<T> says(String text) {
        Assertions.assertThat(refusal(FlowFabricException.class))
                .as(info.description())
                .hasMessageContaining(text);
        return this;
    }

    AnswerAssert<T> isNotFound(String entity) {
        has("entity", refusal(NotFound.class).entity(), entity);
        return this;
    }

    AnswerAssert<T> isInvalid(Invalid.Code code) {
        has("code", refusal(Invalid.class).code(), code);
        return this;
    }

    AnswerAssert<T> isDenied(Denied.Code code) {
        has("code", refusal(Denied.class).code(), code);
        return this;
    }

    AnswerAssert<T> isUnavailable() {
        refusal(Unavailable.class);
        return this;
    }

    AnswerAssert<T> isUnreadable() {
        has("unreadable", refusal(StoreFailure.class).isUnreadable(), true);
        return this;
    }

    private <E extends FlowFabricException> E refusal(Class<E> type) {
        isRefused();
        var error = ((Refused<T>) actual).error();
        Assertions.assertThat(error).as(info.description()).isInstanceOf(type);
        return type.cast(error);
    }

    private void has(String name, Object found, Object expected) {
        Assertions.assertThat(found)
                .as("%s of the refusal %s", name, info.descriptionText())
                .isEqualTo(expected);
    }
}
