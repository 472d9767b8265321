package io.flowfabric.testkit.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * When something was broken on purpose during a run, and whom it hit. Work may be late then, and
 * nothing else may be wrong. Many threads may note faults while another one judges.
 */
public final class Faults {
    private final List<Fault> all = new ArrayList<>();

    /** Nothing is broken yet. */
    public Faults() {}

    /** A fault that may still be on. */
    public final class Fault {
        private final Optional<String> worker;
        private final Instant from;
        private Optional<Instant> until = Optional.empty();

        private Fault(Optional<String> worker, Instant from) {
            this.worker = worker;
            this.from = from;
        }

        /** Says until when its consequences last. */
        public void over(Instant at) {
            synchronized (Faults.this) {
                until = Optional.of(at);
            }
        }

        private boolean on(Optional<String> hit, Instant first, Instant last) {
            return (worker.isEmpty() || worker.equals(hit))
                    && !from.isAfter(last)
                    && until.filter(first::isAfter).isEmpty();
        }
    }

    /** A fault that hits everyone, such as a server that is gone. */
    public Fault everywhere(Instant from) {
        return add(new Fault(Optional.empty(), from));
    }

    /** A fault that hits the processes of one worker. */
    public Fault at(String worker, Instant from) {
        return add(new Fault(Optional.of(worker), from));
    }

    private synchronized Fault add(Fault fault) {
        all.add(fault);
        return fault;
    }

    /** Whether nothing was broken for everyone between two moments. */
    boolean none(Instant from, Instant until) {
        return none(Optional.empty(), from, until);
    }

    /** Whether nothing was broken for this worker between two moments. */
    boolean noneAt(String worker, Instant from, Instant until) {
        return none(Optional.of(worker), from, until);
    }

    private synchronized boolean none(Optional<String> worker, Instant from, Instant until) {
        return all.stream().noneMatch(fault -> fault.on(worker, from, until));
    }
}
