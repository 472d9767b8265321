package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;

import java.util.Optional;

/** The steps of executions, page by page. */
final class RecordedSteps {
    private final PostgresContext postgres;

    RecordedSteps(PostgresContext postgres) {
        this.postgres = postgres;
    }

    Page<Step> page(ExecutionId execution, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        var rows =
                postgres.db()
                        .query("steps")
                        .set("id", execution.uuid())
                        .set("part", execution.partition().number())
                        .set("before", before)
                        .set("max", max)
                        .set("bytes", Chunks.BYTES)
                        .list(
                                row ->
                                        row.textOrNull("name") == null
                                                ? Optional.<Step>empty()
                                                : Optional.of(step(execution, row)));
        if (rows.isEmpty()) {
            throw new NotFound("execution", execution.toString());
        }
        var steps = rows.stream().flatMap(Optional::stream).toList();
        return NumberedPages.page(before, steps, Step::bytes, max, false);
    }

    private static Step step(ExecutionId execution, Row row) {
        try {
            return RowCodec.step(row);
        } catch (Invalid damaged) {
            throw FactsReader.unreadable(execution);
        }
    }
}
