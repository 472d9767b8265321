package io.flowfabric.worker;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.engine.Engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** The code that docs/streams.md shows; {@link StreamsPageTest} compares, and runs it. */
final class StreamsExample {
    private final Function<String, Iterable<String>> model;

    StreamsExample(Function<String, Iterable<String>> model) {
        this.model = model;
    }

    // [PAGE
    Worker writer(Engine engine) {
        return Worker.on(engine)
                .name("writer")
                .lane("letters")
                .handle("letter", task -> write(engine, task))
                .start();
    }

    Payload write(Engine engine, Task task) {
        var fence = task.fence();
        // An earlier lease of the same attempt may have said something before it was lost.
        long next = engine.streams().tail(fence.execution(), fence.attempt(), 0, 1).end();
        for (var word : model.apply(task.input().asText())) {
            var append = Append.durable(fence, next, "word", Payload.text(word));
            next = engine.leases().append(List.of(append)).getFirst().orThrow();
        }
        return Payload.EMPTY;
    }

    /** Shows what is said in the first attempt, as it is said, and tells how that ended. */
    StreamEnd watch(Engine engine, ExecutionId letter, Consumer<String> screen)
            throws InterruptedException {
        long next = 0;
        while (true) {
            var page = engine.tail(letter, 0, next, 100, Duration.ofSeconds(30));
            page.frames().forEach(frame -> screen.accept(frame.payload().asText()));
            if (page.last()) {
                return page.closed().orElseThrow();
            }
            next = page.next();
        }
    }
    // PAGE]
}
