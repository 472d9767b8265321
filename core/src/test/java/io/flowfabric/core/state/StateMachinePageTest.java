package io.flowfabric.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The picture cannot lie: it is drawn from the tables, and compared with what was committed. */
class StateMachinePageTest {
    /** How to draw the page anew. */
    static final String UPDATE = "./ff test -pl core -Dflowfabric.update-docs=true";

    private static final String DRAWN = StateMachinePage.render();

    private static final Path PAGE = root().resolve("docs/state-machine.md");

    @Test
    void the_committed_page_is_what_the_tables_say() throws IOException {
        if (Boolean.getBoolean("flowfabric.update-docs")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, DRAWN);
        }

        var committed = Files.exists(PAGE) ? Files.readString(PAGE) : "";
        if (!committed.equals(DRAWN)) {
            fail(
                    "docs/state-machine.md is not what the tables say, from line %d on. Run %s"
                            .formatted(firstDifference(committed, DRAWN), UPDATE));
        }
    }

    @Test
    void every_situation_is_on_the_page() {
        for (var situation : Situation.values()) {
            assertThat(DRAWN).contains(situation.name());
        }
    }

    @Test
    void every_step_has_an_arrow_to_wherever_it_leads() {
        for (var step : Transition.values()) {
            if (!step.staysPut()) {
                var ends =
                        step == Transition.SUBMIT
                                ? States.BEGINNINGS
                                : step.endsFrom(step.starts().iterator().next());
                for (var end : ends) {
                    assertThat(DRAWN)
                            .containsPattern("--> %s : .*\\b%s\\b".formatted(end, step.wire()));
                }
            }
        }
    }

    @Test
    void it_fits_on_one_screen() {
        assertThat(DRAWN.lines()).hasSizeLessThan(100);
    }

    private static int firstDifference(String one, String other) {
        int line = 1;
        for (int i = 0; i < Math.min(one.length(), other.length()); i++) {
            if (one.charAt(i) != other.charAt(i)) {
                break;
            }
            line += one.charAt(i) == '\n' ? 1 : 0;
        }
        return line;
    }

    /** Where the parent pom is, seen from the compiled classes of this test. */
    private static Path root() {
        try {
            var classes =
                    StateMachinePageTest.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(classes.toURI()).resolve("../../..").normalize();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
