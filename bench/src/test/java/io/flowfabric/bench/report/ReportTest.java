package io.flowfabric.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class ReportTest {

    @Test
    void names_read_from_the_left_and_numbers_stand_at_the_right() {
        var table = new Table("", "rate");
        table.row("bare", "5");
        table.row("engine", "1,234");

        assertThat(table)
                .hasToString(
                        """
                                 rate
                        bare        5
                        engine  1,234
                        """);
    }

    @Test
    void a_row_has_as_many_cells_as_there_are_headings() {
        var table = new Table("", "rate");

        assertThatThrownBy(() -> table.row("bare")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void people_read_settings_table_and_ratios() {
        assertThat(report().text())
                .isEqualTo(
                        """
                        drain: workers 16

                                rate
                        engine     5

                        engine_over_bare 1.23
                        """);
    }

    @Test
    void programs_read_the_same_as_json() {
        assertThat(report().json())
                .isEqualTo(
                        """
                        {
                          "bench": "drain",
                          "ratios": {
                            "engine_over_bare": 1.2345
                          },
                          "settings": {
                            "workers": 16
                          },
                          "figures": {
                            "a \\"name\\"": [true, 1.5000, 2]
                          }
                        }
                        """);
    }

    @Test
    void what_is_no_number_is_not_written_as_one() {
        assertThatThrownBy(() -> JsonText.write(List.of(Double.NaN)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Report report() {
        var table = new Table("", "rate");
        table.row("engine", "5");
        return new Report(
                "drain",
                Map.of("workers", 16),
                table,
                Map.of("engine_over_bare", 1.2345),
                Map.of("a \"name\"", List.of(true, 1.5, 2)));
    }
}
