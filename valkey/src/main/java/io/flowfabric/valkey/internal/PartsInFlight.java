package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Parts of one call, a few of which are on their way at the same time: the next one is put together
 * while the server works on those before it. Their answers are waited for in the order in which
 * they were sent.
 *
 * <p>Parts for one partition are done in their order, also where one of them has to be sent again:
 * each says which one it {@linkplain PartOrder follows}, and a partition does nothing with one that
 * comes too early. So of what follows a part that was not applied nothing is.
 */
final class PartsInFlight {
    /** So many are on their way at most: one is worked on, one waits, and one is put together. */
    private static final int MOST = 3;

    private final AppliedParts applied;
    private final Deque<Sent<?>> flying = new ArrayDeque<>();

    /**
     * @param applied what was done of the call before
     */
    PartsInFlight(AppliedParts applied) {
        this.applied = applied;
    }

    private record Sent<T>(
            Partition home, PartOrder order, Supplier<T> answer, Consumer<T> whenAnswered) {}

    /**
     * Sends the next part.
     *
     * @param last whether no other for the same partition follows
     * @param send sends it, and says how to wait for its answer
     */
    <T> void send(
            Partition home,
            boolean last,
            Function<PartOrder, Supplier<T>> send,
            Consumer<T> whenAnswered) {
        while (flying.size() >= MOST) {
            awaitFirst();
        }
        var mark = last ? Optional.<UUID>empty() : Optional.of(UUID.randomUUID());
        var order = new PartOrder(mark, lastMark(home));
        flying.add(new Sent<>(home, order, sent(order, send), whenAnswered));
    }

    /** The mark of the part for a partition that was sent last, if it is on its way. */
    private Optional<UUID> lastMark(Partition home) {
        var before = flying.peekLast();
        return before != null && before.home.equals(home) ? before.order.mark() : Optional.empty();
    }

    /** Sends a part; what keeps it from being sent does not hide what became of the others. */
    private static <T> Supplier<T> sent(PartOrder order, Function<PartOrder, Supplier<T>> send) {
        try {
            return send.apply(order);
        } catch (StoreFailure | Unavailable unsent) {
            return () -> {
                throw unsent;
            };
        }
    }

    /** Waits for all answers. */
    void awaitAll() {
        while (!flying.isEmpty()) {
            awaitFirst();
        }
    }

    private void awaitFirst() {
        await(flying.removeFirst());
    }

    private <T> void await(Sent<T> part) {
        var told =
                applied.change(
                        () -> {
                            try {
                                return part.answer.get();
                            } catch (StoreFailure | Unavailable failure) {
                                if (flying.stream().anyMatch(it -> !it.home.equals(part.home))) {
                                    applied.mayApply();
                                }
                                throw failure;
                            }
                        });
        part.whenAnswered.accept(told);
    }
}
