package io.flowfabric;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.feed.Event;
import io.flowfabric.engine.Follower;
import io.flowfabric.engine.Service;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.function.Consumer;

/** A thread that hands what a follower reads to a listener. */
final class Following extends Service {
    private static final Logger LOG = LoggerFactory.getLogger(Following.class);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Follower follower;
    private final Consumer<Event> listener;

    Following(Follower follower, Consumer<Event> listener) {
        this.follower = follower;
        this.listener = listener;
    }

    @Override
    protected void begin() {
        daemon("ff-follow", this::follow);
    }

    @Override
    protected void end() {
        follower.stop();
    }

    private void follow() {
        try {
            while (follower.running()) {
                follower.next(PATIENCE).ifPresent(entry -> tell(entry.event()));
            }
        } catch (InterruptedException stopped) {
            LOG.debug("{} was interrupted.", this, stopped);
        } catch (FlowFabricException over) {
            LOG.error("{} cannot go on.", this, over);
        }
    }

    private void tell(Event event) {
        try {
            listener.accept(event);
        } catch (RuntimeException failed) {
            LOG.warn("A listener has failed on {}.", event, failed);
        }
    }

    @Override
    public String toString() {
        return "The listener to what happens";
    }
}
