package io.flowfabric.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

class ScreenTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, UTF_8);

    @Test
    void on_a_terminal_a_line_that_stays_pushes_down_what_is_shown() {
        var screen = new LiveScreen(out, Colours.NONE);

        screen.show(List.of("one", "two"));
        screen.say("stays");
        screen.clear();

        assertThat(bytes.toString(UTF_8))
                .isEqualTo("one\ntwo\n\033[2A\033[Jstays\none\ntwo\n\033[2A\033[J");
    }

    @Test
    void without_colours_a_text_is_left_alone() {
        assertThat(Colours.NONE.bad("text")).isEqualTo("text");
        assertThat(new Colours(true).bad("text")).isEqualTo("\033[31mtext\033[0m");
    }

    @Test
    void in_a_file_how_things_stand_does_not_follow_line_by_line() {
        var screen = new PlainScreen(out);

        screen.show(List.of("just begun"));
        screen.say("stays");

        assertThat(bytes.toString(UTF_8)).isEqualTo("stays" + System.lineSeparator());
    }
}
