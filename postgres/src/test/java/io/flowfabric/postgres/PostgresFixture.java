package io.flowfabric.postgres;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.VirtualClock;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A store on a real Postgres under test. Schemas are emptied and used again, because making one
 * takes longer than a test.
 */
final class PostgresFixture implements StoreFixture {
    private static final AtomicInteger MADE = new AtomicInteger();
    private static final ConcurrentLinkedQueue<SchemaName> FREE = new ConcurrentLinkedQueue<>();

    private final VirtualClock clock = new VirtualClock();
    private final SchemaName schema;
    private final PostgresStore store;

    PostgresFixture() {
        var free = FREE.poll();
        schema = free == null ? new SchemaName("contract_" + MADE.incrementAndGet()) : free;
        store = PostgresStore.open(options(), schema, Optional.of(clock));
        if (free == null) {
            execute(TransitionGuard.sql(schema));
        }
        // Also when it is new to this JVM: the server is kept from one run to the next.
        empty();
    }

    private static DatabaseOptions options() {
        var server = TestServer.get();
        return DatabaseOptions.of(server.url(), server.user(), server.password())
                .withConnections(6);
    }

    private void empty() {
        execute(
                """
                do $$
                declare t text;
                begin
                    for t in select tablename from pg_tables where schemaname = '%1$s' and tablename not in ('migration', 'horizon')
                    loop
                        execute format('truncate %%I.%%I restart identity cascade', '%1$s', t);
                    end loop;
                    update %1$s.horizon set dropped = 0;
                end $$
                """
                        .formatted(schema.text()));
    }

    SchemaName schema() {
        return schema;
    }

    private void execute(String sql) {
        try (var connection = store.database().connect("fixture");
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public void advance(Duration step) {
        clock.advance(step);
    }

    @Override
    public void poison(ExecutionId execution) {
        execute(
                "update %s.execution set terms = -1 where id = '%s'"
                        .formatted(schema.text(), execution.uuid()));
    }

    @Override
    public void close() {
        store.close();
        FREE.add(schema);
    }
}
