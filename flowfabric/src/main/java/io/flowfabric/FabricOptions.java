package io.flowfabric;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.lease.Session;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.engine.Time;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** How a fabric is set up, where the defaults are not what a program wants. */
public final class FabricOptions {
    /** The default namespace, JSON, and an engine that counts nothing. */
    public static final FabricOptions DEFAULT =
            new FabricOptions(
                    Namespace.DEFAULT,
                    PayloadCodec.json(),
                    EngineOptions.DEFAULT,
                    EngineMetrics.NONE,
                    Optional::empty,
                    Time.SYSTEM,
                    Session.DEFAULT_TTL);

    private final Namespace namespace;
    private final PayloadCodec codec;
    private final EngineOptions engine;
    private final EngineMetrics metrics;
    private final Supplier<Optional<String>> traceparent;
    private final Time time;
    private final Duration workerTtl;

    private FabricOptions(
            Namespace namespace,
            PayloadCodec codec,
            EngineOptions engine,
            EngineMetrics metrics,
            Supplier<Optional<String>> traceparent,
            Time time,
            Duration workerTtl) {
        this.namespace = namespace;
        this.codec = codec;
        this.engine = engine;
        this.metrics = metrics;
        this.traceparent = traceparent;
        this.time = time;
        this.workerTtl = workerTtl;
    }

    /**
     * These options with another namespace, in which everything is that goes through the fabric.
     */
    public FabricOptions namespace(String name) {
        return new FabricOptions(
                new Namespace(name), codec, engine, metrics, traceparent, time, workerTtl);
    }

    /** These options with another way to write values. */
    public FabricOptions codec(PayloadCodec other) {
        return new FabricOptions(namespace, other, engine, metrics, traceparent, time, workerTtl);
    }

    /** These options with another engine. */
    public FabricOptions engine(EngineOptions other) {
        return new FabricOptions(namespace, codec, other, metrics, traceparent, time, workerTtl);
    }

    /** These options with something to count with, such as {@code MicrometerMetrics}. */
    public FabricOptions metrics(EngineMetrics other) {
        return new FabricOptions(namespace, codec, engine, other, traceparent, time, workerTtl);
    }

    /**
     * These options with a trace that submissions belong to: what is current when work is submitted
     * reaches its handler as {@link DurableTask#traceparent()}.
     *
     * @param current says the context of the current trace as W3C writes it, if there is one
     */
    public FabricOptions traceparent(Supplier<Optional<String>> current) {
        return new FabricOptions(namespace, codec, engine, metrics, current, time, workerTtl);
    }

    /** These options in a time of its own, for tests; the store should live in the same. */
    public FabricOptions time(Time other) {
        return new FabricOptions(namespace, codec, engine, metrics, traceparent, other, workerTtl);
    }

    /**
     * These options with another time that the store waits for a sign of life of a worker before it
     * gives the work to another one, for workers that do not say it themselves.
     */
    public FabricOptions workerTtl(Duration other) {
        return new FabricOptions(namespace, codec, engine, metrics, traceparent, time, other);
    }

    /** The namespace in which everything is that goes through the fabric. */
    public Namespace namespace() {
        return namespace;
    }

    /** How values are written. */
    public PayloadCodec codec() {
        return codec;
    }

    EngineOptions engine() {
        return engine;
    }

    EngineMetrics metrics() {
        return metrics;
    }

    Supplier<Optional<String>> traceparent() {
        return traceparent;
    }

    Time time() {
        return time;
    }

    Duration workerTtl() {
        return workerTtl;
    }
}
