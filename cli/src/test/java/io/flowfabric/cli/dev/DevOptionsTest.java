package io.flowfabric.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.cli.terminal.UsageError;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

class DevOptionsTest {
    @Test
    void it_stays_up_in_a_folder_of_its_own_unless_told_otherwise() {
        assertThat(DevOptions.parse(List.of()))
                .isEqualTo(new DevOptions(false, Path.of(".flowfabric")));
    }

    @Test
    void it_can_be_told_to_end_and_where_to_live() {
        assertThat(DevOptions.parse(List.of("--home", "elsewhere", "--once")))
                .isEqualTo(new DevOptions(true, Path.of("elsewhere")));
    }

    @Test
    void what_it_does_not_know_is_named() {
        assertThatThrownBy(() -> DevOptions.parse(List.of("--twice")))
                .isInstanceOf(UsageError.class)
                .hasMessage("dev does not know '--twice'; it knows --once and --home DIR.");
    }

    @Test
    void a_home_has_to_be_named() {
        assertThatThrownBy(() -> DevOptions.parse(List.of("--home")))
                .isInstanceOf(UsageError.class)
                .hasMessageContaining("needs a folder");
        assertThatThrownBy(() -> DevOptions.parse(List.of("--home", " ")))
                .isInstanceOf(UsageError.class)
                .hasMessageContaining("is not the name of a folder");
    }
}
