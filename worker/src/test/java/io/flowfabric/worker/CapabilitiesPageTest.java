package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What docs/capabilities.md says is so. */
class CapabilitiesPageTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| (yes|no) \\|$");

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/worker/CapabilitiesExample.java");

        assertThat(PageExample.shown(Path.of("../docs/capabilities.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    @Timeout(60)
    void the_code_on_the_page_runs() throws InterruptedException {
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var film = new CapabilitiesExample().run(world.engine());

            assertThat(world.state(film)).isEqualTo(PublicState.COMPLETED);
        }
    }

    @Test
    void the_examples_on_the_page_are_true() throws IOException {
        var examples = EXAMPLE.matcher(page()).results().toList();

        assertThat(examples).hasSizeGreaterThan(10);
        for (var example : examples) {
            var offers = Capabilities.parse(example.group(1)).asOffer();
            assertThat(offers.cover(Capabilities.parse(example.group(2))))
                    .as(example.group())
                    .isEqualTo(example.group(3).equals("yes"));
        }
    }

    @Test
    void the_versions_on_the_page_are_in_order() throws IOException {
        var inOrder =
                page().lines()
                        .dropWhile(line -> !line.startsWith("0-1 < 0"))
                        .takeWhile(line -> !line.equals("```"))
                        .flatMap(line -> Stream.of(line.split("<", -1)))
                        .map(String::strip)
                        .filter(version -> !version.isEmpty())
                        .toList();

        assertThat(inOrder).hasSizeGreaterThan(15);
        for (int i = 0; i < inOrder.size(); i++) {
            for (int j = 0; j < inOrder.size(); j++) {
                assertThat(isLess(inOrder, i, j))
                        .as("%s < %s", inOrder.get(i), inOrder.get(j))
                        .isEqualTo(i < j);
            }
        }
    }

    private static boolean isLess(List<String> versions, int one, int other) {
        return Capabilities.of("v=" + versions.get(one))
                .cover(Capabilities.of("v<" + versions.get(other)));
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/capabilities.md"));
    }
}
