package io.flowfabric.testkit.harness;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.testkit.harness.Operation.Hold;
import io.flowfabric.testkit.history.Acknowledgements;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Who takes part in a run, and what they know. In a concurrent run every thread has its own
 * workers, and all share the ledger and the notebook.
 */
record Participants(
        Identity identity,
        Instant start,
        List<HarnessWorker> workers,
        WorkLedger ledger,
        Acknowledgements acknowledgements,
        Names names,
        List<SessionId> sessions) {

    static Participants of(
            Identity identity,
            Instant start,
            List<HarnessWorker> workers,
            Acknowledgements acknowledgements) {
        var names = new Names();
        names.name(HarnessWorker.NOBODY, "no session");
        names.name(identity.unknown(), "#unknown");
        return new Participants(
                identity,
                start,
                workers,
                new WorkLedger(names),
                acknowledgements,
                names,
                new ArrayList<>());
    }

    static List<HarnessWorker> workers(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new HarnessWorker("w" + number))
                .toList();
    }

    /** Others in the same run, with sessions of their own. */
    Participants with(List<HarnessWorker> others) {
        return new Participants(
                identity, start, others, ledger, acknowledgements, names, new ArrayList<>());
    }

    /** A worker, modulo how many there are. */
    HarnessWorker worker(int number) {
        return workers.get(number % workers.size());
    }

    /** A lease that is presented: one that a worker holds, if any does. */
    Optional<Lease> lease(Hold hold) {
        var holders =
                hold.ever()
                        ? workers
                        : workers.stream().filter(worker -> !worker.held().isEmpty()).toList();
        var among = holders.isEmpty() ? workers : holders;
        return among.get(hold.worker() % among.size()).lease(hold.lease(), hold.ever());
    }

    /** Notes a session that a worker opens, or tries to. */
    void opens(HarnessWorker worker, SessionId session) {
        sessions.add(session);
        names.name(session, "%s/%d".formatted(worker.name(), sessions.size()));
    }
}
