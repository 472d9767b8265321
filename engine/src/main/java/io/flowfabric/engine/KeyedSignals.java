package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Page;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Signals through an engine: the key that signs tokens is there as soon as the engine is asked for
 * one, and not only once its loop has come round.
 */
final class KeyedSignals implements Signals {
    private final Signals store;
    private final FirstKey key;

    KeyedSignals(Signals store, FirstKey key) {
        this.store = store;
        this.key = key;
    }

    @Override
    public List<Answer<Delivery>> send(List<Signal> signals) {
        return store.send(signals);
    }

    @Override
    public List<Answer<Delivery>> present(List<Presented> signals) {
        return store.present(signals);
    }

    @Override
    public List<Answer<String>> tokens(List<Wanted> wanted) {
        key.ensure();
        return store.tokens(wanted);
    }

    @Override
    public List<Answer<Waitpoint>> close(List<Waitpoint> waitpoints, Attribution by) {
        return store.close(waitpoints, by);
    }

    @Override
    public List<WaitpointView> waitpoints(ExecutionId execution) {
        return store.waitpoints(execution);
    }

    @Override
    public Page<WaitpointView> waitpoints(
            Lane lane, Optional<Instant> openedBefore, Cursor after, int max) {
        return store.waitpoints(lane, openedBefore, after, max);
    }

    @Override
    public Page<ReceivedSignal> received(ExecutionId execution, Cursor after, int max) {
        return store.received(execution, after, max);
    }
}
