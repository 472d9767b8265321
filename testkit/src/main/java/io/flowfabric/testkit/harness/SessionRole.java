package io.flowfabric.testkit.harness;

import io.flowfabric.core.Fence;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.testkit.harness.Operation.Acknowledging;
import io.flowfabric.testkit.harness.Operation.Hearing;
import io.flowfabric.testkit.harness.Operation.Profile;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Workers: being alive. */
final class SessionRole extends Role {
    SessionRole(Stage stage, Participants cast) {
        super(stage, cast);
    }

    void open(Operation.Open operation) {
        var worker = cast.worker(operation.worker());
        var session = session(worker, operation.number(), operation.profile());
        cast.opens(worker, session.id());
        // It mints the id before the call, so it knows its session even when the answer is lost.
        worker.start(session);
        worker.sent(() -> open(session, Hearing.HEARD));
        open(session, operation.hearing());
    }

    /** A worker opens a session, if it knows that it has none, and how. */
    void openIfNeeded(int worker, Optional<Operation.Open> opening) {
        if (cast.worker(worker).knowsOfNoSession()) {
            opening.ifPresent(this::open);
        }
    }

    void reopen(Operation.Reopen operation) {
        var worker = cast.worker(operation.worker());
        worker.session()
                .map(
                        session ->
                                operation.otherContent()
                                        ? session.ttl(session.ttl().plusMillis(1))
                                        : session)
                .ifPresent(session -> open(session, Hearing.HEARD));
    }

    private void open(Session session, Hearing hearing) {
        var repeats = new Repeats(stage.exclusive());
        var unused =
                hear(
                        hearing,
                        () -> stage.call("open", session, store -> store.sessions().open(session)),
                        repeats::open);
    }

    private Session session(HarnessWorker worker, long number, Profile profile) {
        return new Session(
                cast.identity().session(number),
                Vocabulary.NAMESPACES.get(profile.namespace()),
                worker.name(),
                worker.name() + "-" + number,
                new TreeSet<>(profile.lanes()),
                new TreeSet<>(profile.kinds()),
                profile.offers(),
                profile.ttl());
    }

    void close(Operation.Close operation) {
        var session = cast.worker(operation.worker()).sessionId();
        var unused =
                stage.call(
                        "close",
                        session,
                        store -> {
                            store.sessions().close(session);
                            return "closed";
                        });
    }

    void crash(Operation.Crash operation) {
        cast.worker(operation.worker()).crash();
    }

    void beat(Operation.Beat operation) {
        var workers = operation.workers().stream().map(cast::worker).distinct().toList();
        var heartbeats =
                workers.stream()
                        .map(
                                worker ->
                                        heartbeat(
                                                worker,
                                                operation.acknowledging(),
                                                operation.alsoForgotten()))
                        .toList();
        stage.call("heartbeat", heartbeats, store -> store.sessions().heartbeat(heartbeats))
                .answered()
                .ifPresent(
                        answers ->
                                eachDone(
                                        workers,
                                        answers,
                                        (worker, beat) -> interrupt(worker, beat)));
    }

    private static void interrupt(HarnessWorker worker, HeartbeatResult beat) {
        beat.lost().forEach(worker::drop);
    }

    private static Heartbeat heartbeat(
            HarnessWorker worker, Acknowledging acknowledging, boolean alsoForgotten) {
        long acknowledged =
                switch (acknowledging) {
                    case NOTHING -> 0;
                    case WHAT_ARRIVED -> worker.arrivedUpTo();
                    case EVERYTHING -> worker.lastClaim();
                };
        var leases = alsoForgotten ? worker.everHad() : worker.held();
        Set<Fence> fences = leases.stream().map(Lease::fence).collect(Collectors.toSet());
        return new Heartbeat(worker.sessionId(), acknowledged, fences);
    }
}
