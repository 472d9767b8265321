package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A store with a backlog of work, on a server of its own that explains in its log how it runs each
 * statement.
 *
 * <p>In the default lane some work is open to everybody, much more is behind gates that are shut to
 * the worker or waits for a budget that is spent, and some is delayed.
 */
final class Backlog implements AutoCloseable {
    static final int OPEN = 10_000;
    static final int SHUT_GATES = 100;
    static final int SHUT = 100_000;
    static final int WITHOUT_BUDGET = 50_000;

    /** How many are claimed at once. */
    static final int BATCH = 64;

    private final Path home;
    private final EmbeddedPostgres server;
    private final PostgresStore store;
    private final Connection caller;
    private final Session worker;
    private long claims;

    Backlog() throws IOException, SQLException {
        home = Files.createTempDirectory("flowfabric-plans");
        server =
                EmbeddedPostgres.start(
                        home,
                        EmbeddedOptions.DEFAULT
                                .withoutDurability()
                                .withBinaries(TestPostgres.BINARIES)
                                .withSetting("shared_preload_libraries", "auto_explain")
                                .withSetting("auto_explain.log_min_duration", "0")
                                .withSetting("auto_explain.log_analyze", "on")
                                .withSetting("auto_explain.log_nested_statements", "on")
                                .withSetting("auto_explain.log_buffers", "on"));
        store =
                PostgresStore.open(
                        DatabaseOptions.of(server.url(), server.user(), server.password())
                                .withConnections(2));
        worker = Session.of("worker", "1", "default").ttl(Duration.ofHours(1));
        store.sessions().open(worker);
        // All statements run, and are planned, before there is anything to plan for.
        submit(OPEN / 10, i -> Submission.of("work", Payload.EMPTY));
        end(claim());
        caller = DriverManager.getConnection(server.url(), server.user(), server.password());
        caller.setAutoCommit(false);
        for (int i = 0; i < 20; i++) {
            submitInTransaction(1);
        }
        submit(OPEN, i -> Submission.of("work", Payload.EMPTY));
        submit(
                SHUT,
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .policy(
                                        Policy.DEFAULT.needs(
                                                Capabilities.of("gpu" + i % SHUT_GATES))));
        store.budgets().define(Budget.of("spent", "tokens", 0), new Attribution("ada", "to see"));
        submit(
                WITHOUT_BUDGET,
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .policy(Policy.DEFAULT.priority(9000).budget("spent")));
        submit(
                OPEN,
                i ->
                        Submission.of("work", Payload.EMPTY)
                                .policy(
                                        Policy.DEFAULT
                                                .start(Due.in(Duration.ofHours(1)))
                                                .deadline(Due.in(Duration.ofHours(2)))));
    }

    PostgresStore store() {
        return store;
    }

    /** Another store on the same server, without a backlog. */
    PostgresStore beside(SchemaName schema) {
        return PostgresStore.open(
                DatabaseOptions.of(server.url(), server.user(), server.password())
                        .withConnections(2),
                schema);
    }

    /** Runs a statement of the test's own. */
    void execute(String sql) throws SQLException {
        try (var connection =
                        DriverManager.getConnection(
                                server.url(), server.user(), server.password());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** All that the server has explained so far. */
    String log() {
        try {
            return Files.readString(home.resolve("postgres.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<ExecutionId> submit(int count, IntFunction<Submission> one) {
        var ids = new ArrayList<ExecutionId>();
        for (int from = 0; from < count; from += 1000) {
            var batch = IntStream.range(from, Math.min(count, from + 1000)).mapToObj(one).toList();
            for (var answer : store.submissions().submit(batch)) {
                assertThat(answer).isInstanceOf(Answer.Done.class);
                if (answer instanceof Answer.Done<Submitted>(var submitted)) {
                    ids.add(submitted.id());
                }
            }
        }
        return ids;
    }

    /** Work with keys, all of it twice, on a connection as a driver makes it. */
    void submitInTransaction(int count) throws SQLException {
        var batch =
                IntStream.range(0, count)
                        .mapToObj(
                                i ->
                                        Submission.of("work", Payload.EMPTY)
                                                .key(UUID.randomUUID().toString()))
                        .toList();
        assertThat(store.in(caller).submit(batch)).allMatch(answer -> answer.orThrow().created());
        assertThat(store.in(caller).submit(batch)).noneMatch(answer -> answer.orThrow().created());
        caller.commit();
    }

    /** Claims as the worker that serves the default lane. */
    List<Lease> claim() {
        var leases = store.claims().claim(new Claim(worker.id(), ++claims, BATCH)).leases();
        assertThat(leases).hasSize(BATCH);
        return leases;
    }

    void end(List<Lease> leases) {
        var endings =
                leases.stream()
                        .map(lease -> (Ending) new Ending.Complete(lease.fence(), Payload.EMPTY))
                        .toList();
        assertThat(store.leases().end(endings)).allMatch(answer -> answer instanceof Answer.Done);
    }

    @Override
    public void close() throws IOException, SQLException {
        caller.close();
        store.close();
        server.close();
        try (var files = Files.walk(home)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Gives all tests the same one, which is closed after the last of them. */
    static final class Shared implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
            return parameter.getParameter().getType() == Backlog.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
            return test.getRoot().getStore(Namespace.GLOBAL).computeIfAbsent(Backlog.class);
        }
    }
}
