package io.flowfabric.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

class EmbeddedOptionsTest {
    @Test
    void the_defaults_are_durable() {
        assertThat(EmbeddedOptions.DEFAULT)
                .isEqualTo(
                        new EmbeddedOptions(
                                0, true, Map.of(), Optional.empty(), Duration.ofSeconds(60)));
    }

    @Test
    void each_method_changes_one_option() {
        assertThat(
                        EmbeddedOptions.DEFAULT
                                .withPort(5433)
                                .withoutDurability()
                                .withSetting("work_mem", "8MB")
                                .withBinaries(Path.of("b"))
                                .withTimeout(Duration.ofSeconds(5)))
                .isEqualTo(
                        new EmbeddedOptions(
                                5433,
                                false,
                                Map.of("work_mem", "8MB"),
                                Optional.of(Path.of("b")),
                                Duration.ofSeconds(5)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "port",
                "fsync",
                "listen_addresses",
                "Work_Mem",
                "a = 'b'\nfsync",
                "",
                "x y"
            })
    void settings_that_are_decided_elsewhere_or_malformed_are_refused(String name) {
        assertThatThrownBy(() -> EmbeddedOptions.DEFAULT.withSetting(name, "off"))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("settings");
    }

    @Test
    void values_that_could_add_lines_to_the_file_are_refused() {
        assertThatThrownBy(() -> EmbeddedOptions.DEFAULT.withSetting("work_mem", "1\nfsync=off"))
                .isInstanceOf(Invalid.class);
    }

    @Test
    void ports_and_timeouts_are_checked() {
        assertThatThrownBy(() -> EmbeddedOptions.DEFAULT.withPort(65_536))
                .isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> EmbeddedOptions.DEFAULT.withTimeout(Duration.ZERO))
                .isInstanceOf(Invalid.class);
    }
}
