package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.StreamReading;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.stream.FrameRange;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.stream.Summary;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.catalog.UnknownWord;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;

import java.util.Optional;

/** The streams of attempts, page by page. */
public final class PostgresStreams implements Streams {
    private final PostgresContext postgres;

    public PostgresStreams(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** One row of a page: how the stream stands is said in all of them. */
    private record Read(long end, Optional<StreamEnd> closed, Optional<StreamFrame> frame) {}

    @Override
    public StreamPage read(ExecutionId execution, int attempt, FrameRange range, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        Limit.COUNT.checkRange("attempt", 0, attempt);
        var rows =
                postgres.db()
                        .query("frames")
                        .set("id", execution.uuid())
                        .set("part", execution.partition().number())
                        .set("attempt", attempt)
                        .set("from", range.from())
                        .set("to", range.to())
                        .set("since", range.since().toEpochMilli())
                        .set("until", range.until().toEpochMilli())
                        .set("max", max)
                        .set("page_bytes", Chunks.BYTES)
                        .list(row -> read(execution, attempt, row));
        if (rows.isEmpty()) {
            throw new NotFound("execution", execution.toString());
        }
        var frames = rows.stream().flatMap(row -> row.frame.stream()).toList();
        var stream = rows.getFirst();
        return StreamReading.page(range, frames, max, false, stream.end, stream.closed);
    }

    private static Read read(ExecutionId execution, int attempt, Row row) {
        try {
            return new Read(
                    row.longValue("end"),
                    StreamReading.closed(
                            attempt,
                            row.intValue("attempts"),
                            RowCodec.situation(row),
                            RowCodec.next(row)),
                    row.longOrNull("place") == null
                            ? Optional.empty()
                            : Optional.of(RowCodec.frame(row)));
        } catch (Invalid | UnknownWord damaged) {
            throw FactsReader.unreadable(execution);
        }
    }

    @Override
    public Optional<Summary> summary(ExecutionId execution, int attempt) {
        Limit.COUNT.checkRange("attempt", 0, attempt);
        return postgres.db()
                .query("summary")
                .set("id", execution.uuid())
                .set("part", execution.partition().number())
                .set("attempt", attempt)
                .optional(
                        row ->
                                Optional.ofNullable(row.textOrNull("document"))
                                        .map(text -> new Summary(text, row.longValue("version"))))
                .orElseThrow(() -> new NotFound("execution", execution.toString()));
    }
}
