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
                .isEqualTo(new DevOptions(false, DevStore.POSTGRES, Path.of(".flowfabric")));
    }

    @Test
    void it_can_be_told_to_end_and_where_to_live() {
        assertThat(DevOptions.parse(List.of("--home", "elsewhere", "--once")))
                .isEqualTo(new DevOptions(true, DevStore.POSTGRES, Path.of("elsewhere")));
    }

    @Test
    void each_store_has_a_folder_of_its_own() {
        assertThat(DevOptions.parse(List.of("--store", "valkey")))
                .isEqualTo(new DevOptions(false, DevStore.VALKEY, Path.of(".flowfabric/valkey")));
        assertThat(DevOptions.parse(List.of("--home", "elsewhere", "--store", "valkey")))
                .isEqualTo(new DevOptions(false, DevStore.VALKEY, Path.of("elsewhere")));
        assertThat(DevOptions.parse(List.of("--store", "postgres")))
                .isEqualTo(DevOptions.parse(List.of()));
    }

    @Test
    void a_store_has_to_be_one_that_there_is() {
        assertThatThrownBy(() -> DevOptions.parse(List.of("--store")))
                .isInstanceOf(UsageError.class)
                .hasMessage("--store needs the name of one: postgres and valkey.");
        assertThatThrownBy(() -> DevOptions.parse(List.of("--store", "Valkey")))
                .isInstanceOf(UsageError.class)
                .hasMessage("There is no store 'Valkey'; there are postgres and valkey.");
    }

    @Test
    void what_it_does_not_know_is_named() {
        assertThatThrownBy(() -> DevOptions.parse(List.of("--twice")))
                .isInstanceOf(UsageError.class)
                .hasMessage(
                        "dev does not know '--twice'; it knows --once, --store NAME and --home"
                                + " DIR.");
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
