package io.flowfabric.postgres;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Work that waits in the default lane of a store, and the sessions that claim it. */
final class WaitingWork implements AutoCloseable {
    static final Attribution ADA = new Attribution("ada", "many customers");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Map<Session, Long> numbers = new HashMap<>();

    Store store() {
        return fixture.store();
    }

    List<ExecutionId> submit(String kind, int many, IntFunction<Policy> policy) {
        return submit(kind, IntStream.range(0, many).mapToObj(policy));
    }

    List<ExecutionId> submit(String kind, Stream<Policy> policies) {
        var batch =
                policies.map(policy -> Submission.of(kind, Payload.EMPTY).policy(policy)).toList();
        store().submissions().submit(batch).forEach(Answer::orThrow);
        return batch.stream().map(Submission::id).toList();
    }

    /** Submits one of any kind to a lane, which counts against nothing. */
    ExecutionId submit(Lane lane) {
        var submission = Submission.of("any", Payload.EMPTY).lane(lane);
        store().submissions().submit(List.of(submission)).forEach(Answer::orThrow);
        return submission.id();
    }

    /** Opens a session for these kinds of work; for all kinds, if none is named. */
    Session open(String instance, String... kinds) {
        var session = Session.of("worker", instance, "default").kinds(kinds);
        store().sessions().open(session);
        return session;
    }

    /** Opens a session for the default lane and another one. */
    Session openFor(Lane other) {
        var session = Session.of("worker", "both", "default", other.name());
        store().sessions().open(session);
        return session;
    }

    List<Lease> claim(Session session, int max) {
        return ask(session, max).leases();
    }

    /** Claims under the next number of the session. */
    Claimed ask(Session session, int max) {
        return store().claims().claim(new Claim(session.id(), next(session), max));
    }

    private long next(Session session) {
        return numbers.merge(session, 1L, Long::sum);
    }

    void end(List<Lease> leases) {
        var endings = new ArrayList<Ending>();
        leases.forEach(lease -> endings.add(new Ending.Complete(lease.fence(), Payload.EMPTY)));
        store().leases().end(endings).forEach(Answer::orThrow);
    }

    static List<ExecutionId> ids(List<Lease> leases) {
        return leases.stream().map(lease -> lease.fence().execution()).toList();
    }

    /** The number that a query answers, in which {@code %s} is the schema. */
    long number(String select) {
        return fixture.number(select.formatted(fixture.schema().text()));
    }

    @Override
    public void close() {
        fixture.close();
    }
}
