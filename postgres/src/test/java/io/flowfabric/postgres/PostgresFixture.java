package io.flowfabric.postgres;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.signing.KeyWrapping;
import io.flowfabric.core.store.Store;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.VirtualClock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A store on a real Postgres under test. The store is new, and so is all that it remembers; its
 * schema and its connections were used by another test before, because making them takes longer
 * than a test. Fixtures that are open at the same time share no schema.
 */
final class PostgresFixture implements StoreFixture {
    private static final ConcurrentLinkedQueue<TestSchema> FREE = new ConcurrentLinkedQueue<>();

    private final VirtualClock clock = new VirtualClock();
    private final TestSchema schema;
    private final Database db;
    private final PostgresStore store;

    PostgresFixture() {
        var free = FREE.poll();
        schema = free == null ? new TestSchema() : free;
        db = schema.emptied(clock);
        store = PostgresStore.over(db, Optional.of(clock));
    }

    /** A store on the same data that remembers nothing yet, as that of another process. */
    PostgresStore another() {
        return PostgresStore.over(db, Optional.of(clock));
    }

    /** A store of another process that wraps signing keys. */
    PostgresStore another(KeyWrapping wrapping) {
        return PostgresStore.over(db, Optional.of(wrapping), Optional.of(clock));
    }

    SchemaName schema() {
        return schema.name();
    }

    void execute(String sql) {
        schema.execute(sql);
    }

    /** The only number that a query answers. */
    long number(String sql) {
        return schema.number(sql);
    }

    /** The only text that a query answers. */
    String text(String sql) {
        return schema.text(sql);
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
        setPolicy(execution, "-abs(policy)");
    }

    @Override
    public void heal(ExecutionId execution) {
        setPolicy(execution, "abs(policy)");
    }

    private void setPolicy(ExecutionId execution, String policy) {
        schema.execute(
                "update %s.execution set policy = %s where id = '%s'"
                        .formatted(schema.name().text(), policy, execution.uuid()));
    }

    /** Closes what fixtures have left open; for programs that load these classes repeatedly. */
    static void closeAll() {
        for (var free = FREE.poll(); free != null; free = FREE.poll()) {
            free.close();
        }
    }

    /** Leaves the connections open for the next one. */
    @Override
    public void close() {
        FREE.add(schema);
    }
}
