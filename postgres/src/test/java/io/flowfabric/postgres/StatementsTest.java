package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The statements, as the server sees them, and the words that they share with the program. */
class StatementsTest {
    @Test
    void the_server_understands_every_statement() {
        try (var fixture = new PostgresFixture()) {
            ((PostgresStore) fixture.store()).database().check();
        }
    }

    @Test
    void the_schema_knows_every_situation_that_is_stored_and_every_transition() {
        try (var fixture = new PostgresFixture()) {
            assertThat(words(fixture, "situation"))
                    .containsExactlyInAnyOrderElementsOf(
                            situations(situation -> !situation.onlySeen()).toList());
            assertThat(words(fixture, "transition"))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.of(Transition.values()).map(StatementsTest::word).toList());
        }
    }

    @Test
    void counts_and_explanations_name_every_situation_of_waiting() throws IOException {
        var waiting =
                situations(
                        situation ->
                                !situation.onlySeen()
                                        && !situation.terminal()
                                        && situation != Situation.READY
                                        && situation != Situation.RUNNING);

        assertThat(waiting).allSatisfy(word -> assertThat(waitingSituations()).contains(word));
    }

    /** The fragment that both are made with. */
    private static String waitingSituations() throws IOException {
        try (var file = PostgresStore.class.getResourceAsStream("internal/sql/query.sql")) {
            var text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            var fragment = text.substring(text.indexOf("-- fragment: waiting_situations"));
            return fragment.substring(0, fragment.indexOf("\n\n"));
        }
    }

    private static List<String> words(PostgresFixture fixture, String type) {
        var words =
                fixture.text(
                        "select string_agg(word::text, ',') from unnest(enum_range(null::%s.%s)) as word"
                                .formatted(fixture.schema().text(), type));
        return Arrays.asList(words.split(",", -1));
    }

    private static Stream<String> situations(Predicate<Situation> those) {
        return Stream.of(Situation.values()).filter(those).map(StatementsTest::word);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
