package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Wakeups;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/** R18: a store that takes work from a session says so, and the session hears of it. */
class LossNoticesTest {
    /** Wake-ups that keep who listens for losses. */
    private static final class Listeners implements Wakeups {
        final List<Consumer<SessionId>> losses = new ArrayList<>();
        boolean broken;

        @Override
        public Listening listen(Listener listener) {
            throw new AssertionError("this is not about ready work");
        }

        @Override
        public Listening listenForStreams(Consumer<UUID> listener) {
            throw new AssertionError("this is not about streams");
        }

        @Override
        public void pass(Lane lane, Listener from) {
            throw new AssertionError("this is not about ready work");
        }

        @Override
        public Listening listenForLosses(Consumer<SessionId> listener) {
            if (broken) {
                throw new Unavailable("Broken by a test.");
            }
            losses.add(listener);
            return () -> losses.remove(listener);
        }
    }

    private final Listeners store = new Listeners();
    private final LossNotices notices = new LossNotices(store);
    private final List<String> told = new ArrayList<>();

    @Test
    void a_session_is_told_of_its_own_losses_for_as_long_as_it_is_there() {
        var one = SessionId.mint();
        var other = SessionId.mint();
        notices.start();
        notices.join(one, () -> told.add("one"));
        notices.join(other, () -> told.add("other"));

        lose(one);
        notices.leave(one);
        lose(one);
        lose(other);
        lose(SessionId.mint());

        assertThat(told).containsExactly("one", "other");
    }

    /** A store that is used by one engine after the other would tell all of them for ever. */
    @Test
    void the_store_does_not_tell_an_engine_that_has_stopped() {
        notices.start();
        assertThat(store.losses).hasSize(1);

        notices.stop();

        assertThat(store.losses).isEmpty();
    }

    @Test
    void a_store_that_cannot_be_listened_to_is_the_reason_why_it_does_not_start() {
        store.broken = true;

        assertThatThrownBy(notices::start).isInstanceOf(Unavailable.class);
    }

    private void lose(SessionId session) {
        store.losses.forEach(listener -> listener.accept(session));
    }
}
