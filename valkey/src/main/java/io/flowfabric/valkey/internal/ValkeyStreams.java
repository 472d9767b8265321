package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.StreamReading;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.stream.FrameRange;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.stream.Summary;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.FrameRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The streams of attempts, as they are read. */
public final class ValkeyStreams implements Streams {
    private final ValkeyContext valkey;

    public ValkeyStreams(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    @Override
    public StreamPage read(ExecutionId execution, int attempt, FrameRange range, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        Limit.COUNT.checkRange("attempt", 0, attempt);
        return ask(
                "frames",
                execution,
                out ->
                        out.list(9)
                                .uuid(execution.uuid())
                                .number(execution.partition().number())
                                .number(attempt)
                                .number(range.from())
                                .number(range.to())
                                .moment(range.since())
                                .moment(range.until())
                                .number(max)
                                .number(Chunks.BYTES),
                told ->
                        StreamReading.page(
                                range,
                                FrameRecord.read(told.at(4)),
                                max,
                                told.at(5).truth(),
                                told.at(3).number(),
                                StreamReading.closed(
                                        attempt,
                                        told.at(0).small(),
                                        Codes.SITUATIONS.word(told.at(1)),
                                        Codes.PURPOSES.word(told.at(2)))));
    }

    @Override
    public Optional<Summary> summary(ExecutionId execution, int attempt) {
        Limit.COUNT.checkRange("attempt", 0, attempt);
        return ask(
                "summary",
                execution,
                out ->
                        out.list(3)
                                .uuid(execution.uuid())
                                .number(execution.partition().number())
                                .number(attempt),
                told -> told.at(1).optional(text -> new Summary(text.text(), told.at(0).number())));
    }

    private <T> T ask(
            String function,
            ExecutionId execution,
            Consumer<Packer> request,
            Function<Item, T> reader) {
        return valkey.at(
                execution,
                home -> {
                    var told = valkey.read(function, home, request).answer();
                    if (told.isAbsent()) {
                        throw new NotFound("execution", execution.toString());
                    }
                    try {
                        return reader.apply(told);
                    } catch (Item.Unreadable damaged) {
                        throw StoreFailure.unreadable("The execution " + execution, damaged);
                    }
                });
    }
}
