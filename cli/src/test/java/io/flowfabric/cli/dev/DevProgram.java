package io.flowfabric.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.cli.Main;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The real program in a process of its own, after its end.
 *
 * @param code how it ended
 * @param printed everything, errors too
 */
record DevProgram(int code, String printed) {
    static final DevProgram NOT_RUN = new DevProgram(-1, "");

    /** Runs {@code dev} and waits for its end. */
    static DevProgram run(String... words) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "dev"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        var printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new DevProgram(process.waitFor(), printed);
    }

    /** The tag of its run. */
    String tag() {
        var run = Pattern.compile("The run (\\S+) took").matcher(printed);
        assertThat(run.find()).as(printed).isTrue();
        return run.group(1);
    }

    /** Every fate came out as it should. */
    void mustBeGood() {
        assertThat(code).as(printed).isZero();
        assertThat(printed)
                .contains("is killed now (SIGKILL), holding")
                .contains("after the kill others have it all: worker")
                .contains("All %d executions became what they should".formatted(Fate.total()));
        for (var fate : Fate.values()) {
            assertThat(printed)
                    .containsPattern(
                            "%s +%d +%s +%2$d %3$s"
                                    .formatted(
                                            Pattern.quote(fate.words()),
                                            fate.count(),
                                            fate.end().wire()));
        }
    }
}
