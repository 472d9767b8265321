package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.PageExample;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

class FeedsPageTest {
    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/engine/FeedsExample.java");

        assertThat(PageExample.shown(Path.of("../docs/feeds.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_code_on_the_page_goes_on_where_it_was_and_starts_over_when_it_must() throws Exception {
        var books = new Books();
        try (var engine = new Engine(store);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            engine.start();
            // Its place expires before it begins.
            books.save(store.feeds().beginning());
            cancelled();
            for (int day = 0; day < 10; day++) {
                clock.advance(Duration.ofDays(1));
                store.maintenance().tick(Chore.RETENTION, 100);
            }
            var keeping =
                    threads.submit(
                            () -> {
                                new FeedsExample(engine, books).keepBooksWhateverHappens();
                                return true;
                            });
            eventually("it starts over", () -> books.rewritten);

            var first = cancelled();
            eventually("it is told", () -> books.entered.contains(first));
            var second = cancelled();
            eventually("it is told", () -> books.entered.contains(second));

            engine.stop();
            assertThat(keeping.get()).isTrue();
            assertThat(books.entered).containsExactly(first, second);
        }
    }

    private ExecutionId cancelled() {
        var submission = Submission.of("invoice", Payload.EMPTY).lane(Lane.of("billing"));
        store.submissions().submit(List.of(submission)).getFirst().orThrow();
        store.operations()
                .act(
                        List.of(new OperatorCommand.Cancel(submission.id())),
                        new Attribution("ada", "not needed"))
                .getFirst()
                .orThrow();
        return submission.id();
    }

    private static final class Books implements FeedsExample.Books {
        final Queue<ExecutionId> entered = new ConcurrentLinkedQueue<>();
        volatile boolean rewritten;
        private volatile Cursor cursor = Cursor.NOW;

        @Override
        public Cursor cursor() {
            return cursor;
        }

        @Override
        public void save(Cursor other) {
            cursor = other;
        }

        @Override
        public void enter(Event event) {
            entered.add(((Event.Step) event).execution());
        }

        @Override
        public void rewrite(Queries current) {
            rewritten = true;
        }
    }
}
