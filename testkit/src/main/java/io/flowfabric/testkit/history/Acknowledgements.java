package io.flowfabric.testkit.history;

import io.flowfabric.testkit.history.Acknowledgement.Moment;
import io.flowfabric.testkit.history.Acknowledgement.Span;

import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The notebook of all clients of a run: what they were told has happened. Any thread may write. */
public final class Acknowledgements {
    private final InstantSource storeClock;
    private final AtomicLong ticks = new AtomicLong();
    private final Queue<Acknowledgement> noted = new ConcurrentLinkedQueue<>();
    private final Consumer<Acknowledgement> reader;

    public Acknowledgements(InstantSource storeClock) {
        this.storeClock = storeClock;
        this.reader = noted::add;
    }

    /**
     * A notebook that keeps nothing.
     *
     * @param reader is shown each note as it is made, by the thread that makes it
     */
    public Acknowledgements(InstantSource storeClock, Consumer<Acknowledgement> reader) {
        this.storeClock = storeClock;
        this.reader = reader;
    }

    /** This moment: to be taken before each call. */
    public Moment now() {
        return new Moment(ticks.incrementAndGet(), storeClock.instant());
    }

    /** The time since a call began: to be taken after its answer. */
    public Span since(Moment began) {
        var at = storeClock.instant();
        return new Span(began, new Moment(ticks.incrementAndGet(), at));
    }

    public void note(Acknowledgement acknowledgement) {
        reader.accept(acknowledgement);
    }

    /** Everything so far that was kept. */
    public List<Acknowledgement> all() {
        return List.copyOf(noted);
    }
}
