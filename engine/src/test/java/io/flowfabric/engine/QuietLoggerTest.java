package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.event.Level;

import java.lang.reflect.Proxy;

/** R5: a logger that throws ends nothing that keeps a worker alive. */
class QuietLoggerTest {
    @Test
    void what_is_logged_reaches_the_logger_behind_it() {
        var book = new LogBook();
        var failure = new IllegalStateException("away");

        new QuietLogger(book).warn("{} of {} failed", "one", 2, failure);

        assertThat(book.lines())
                .containsExactly(new LogBook.Line(Level.WARN, "one of 2 failed", failure));
    }

    @Test
    void a_logger_that_throws_costs_its_line_and_nothing_else() {
        var quiet = new QuietLogger(brokenLogger());

        assertThatCode(() -> quiet.error("lost", new IllegalStateException()))
                .doesNotThrowAnyException();
    }

    /** A logger that is asked for everything, and throws when it is told anything. */
    static Logger brokenLogger() {
        return (Logger)
                Proxy.newProxyInstance(
                        Logger.class.getClassLoader(),
                        new Class<?>[] {Logger.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().startsWith("is")) {
                                return true;
                            }
                            if (method.getName().equals("getName")) {
                                return "broken";
                            }
                            throw new LinkageError("the disk of the log is full");
                        });
    }
}
