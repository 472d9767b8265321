package io.flowfabric.engine;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.query.Queries;

import java.time.Duration;

/** The code that docs/feeds.md shows; {@link FeedsPageTest} compares, and runs it. */
final class FeedsExample {
    /** What an application keeps about what happened, and where it keeps its cursor. */
    interface Books {
        Cursor cursor();

        void save(Cursor cursor);

        void enter(Event event);

        void rewrite(Queries current);
    }

    private final Engine engine;
    private final Books books;

    FeedsExample(Engine engine, Books books) {
        this.engine = engine;
        this.books = books;
    }

    // [PAGE
    static final FeedFilter COMPLETIONS = FeedFilter.of(Topic.COMPLETIONS).lane(Lane.of("billing"));

    void keepBooks() throws InterruptedException {
        try (var follower = engine.follow(COMPLETIONS, books.cursor())) {
            while (follower.running()) {
                var next = follower.next(Duration.ofSeconds(10));
                next.ifPresent(entry -> books.enter(entry.event()));
                books.save(follower.position());
            }
        }
    }

    // PAGE]

    // [PAGE
    void keepBooksWhateverHappens() throws InterruptedException {
        while (engine.running()) {
            try {
                keepBooks();
            } catch (Invalid refused) {
                switch (refused.code()) {
                    case CURSOR_EXPIRED, CURSOR_RESTORED -> startOver();
                    default -> throw refused;
                }
            }
        }
    }

    void startOver() {
        // The new place first and the current state second, so that nothing falls in between.
        var now = engine.store().feeds().read(COMPLETIONS, Cursor.NOW, 1).next();
        books.rewrite(engine.store().queries());
        books.save(now);
    }
    // PAGE]
}
