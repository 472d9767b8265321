package io.flowfabric.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The pages show sources of this folder, whole and with their imports. Code of other libraries,
 * which begins with the comment {@code // Before:}, is not compiled here.
 */
class PageSourcesTest {
    private static final Pattern SHOWN = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);

    @ParameterizedTest
    @CsvSource({
        "README.md, Welcome",
        "docs/getting-started.md, Parcel ShopServer",
        "docs/durable-code.md, Checkout",
        "docs/handlers.md, MailWorker ShopHandlers SealedPayloads",
        "docs/retries-and-timeouts.md, PatientCalls",
        "docs/deployment.md, WorkerProgram",
        "docs/coming-from-flowfabric.md, ByHand",
        "docs/coming-from-db-scheduler.md, OnceAndDaily",
        "docs/coming-from-jobrunr.md, BackgroundMails",
        "docs/coming-from-quartz.md, ReportJob",
    })
    void a_page_shows_sources_that_are_compiled(String page, String sources) throws IOException {
        var shown =
                SHOWN.matcher(Files.readString(Path.of("..").resolve(page)))
                        .results()
                        .map(found -> found.group(1))
                        .filter(code -> !code.startsWith("// Before:"))
                        .toList();

        assertThat(shown)
                .isEqualTo(
                        List.of(sources.split(" ", -1)).stream()
                                .map(PageSourcesTest::read)
                                .toList());
    }

    /** A source from its first import on. */
    private static String read(String name) {
        try {
            var source =
                    Files.readString(
                            Path.of("src/test/java/io/flowfabric/examples", name + ".java"));
            return source.substring(source.indexOf("import ")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
