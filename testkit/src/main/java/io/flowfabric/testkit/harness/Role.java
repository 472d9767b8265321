package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.history.Acknowledgement.Moment;
import io.flowfabric.testkit.history.Acknowledgement.Span;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** What all who take part in a run have in common: they call, and their answers may get lost. */
abstract class Role {
    final Stage stage;
    final Participants cast;

    Role(Stage stage, Participants cast) {
        this.stage = stage;
        this.cast = cast;
    }

    /**
     * An answer that arrived.
     *
     * @param span from before the first time the call was sent
     */
    record Heard<T>(T answer, Span span) {}

    /**
     * Makes a call, and returns the answer if it arrives and is no refusal.
     *
     * @param rule what a repeat has to keep of the first answer
     */
    <T> Optional<Heard<T>> hear(
            Hearing hearing, Supplier<Reply<T>> call, BiConsumer<Reply<T>, Reply<T>> rule) {
        Moment began = cast.acknowledgements().now();
        var first = call.get();
        return switch (hearing) {
            case HEARD -> heard(first, began);
            case REPEATED -> {
                var second = call.get();
                rule.accept(first, second);
                yield heard(second, began);
            }
            case LOST -> Optional.empty();
        };
    }

    private <T> Optional<Heard<T>> heard(Reply<T> reply, Moment began) {
        var span = cast.acknowledgements().since(began);
        return reply.answered().map(answer -> new Heard<>(answer, span));
    }

    /** Hands each item that was done to a consumer, with its value. */
    static <I, T> void eachDone(List<I> items, List<Answer<T>> answers, BiConsumer<I, T> consumer) {
        for (int i = 0; i < items.size(); i++) {
            if (answers.get(i) instanceof Answer.Done<T>(T value)) {
                consumer.accept(items.get(i), value);
            }
        }
    }
}
