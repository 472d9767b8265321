package io.flowfabric.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The defects of the original that the design holds against rules 1 to 7, 11 and 17 to 22. */
class AnsweredDefectsTest {
    private static final Set<String> POSTGRES =
            numbered(
                    "P",
                    IntStream.of(1, 4, 5, 6, 7, 8, 10, 11),
                    IntStream.rangeClosed(14, 27),
                    IntStream.rangeClosed(29, 36),
                    IntStream.rangeClosed(44, 53),
                    IntStream.rangeClosed(61, 64),
                    IntStream.of(77, 78));
    private static final Set<String> VALKEY =
            numbered(
                    "W",
                    IntStream.of(4, 6, 7, 11, 12, 13, 14, 15, 17, 19, 20, 22, 23, 26, 29),
                    IntStream.rangeClosed(30, 36),
                    IntStream.of(43, 45, 47, 48));

    /** What has to exist before these can be answered: the server. */
    private static final Set<String> OWED = Set.of("P64");

    @Test
    void every_defect_is_answered_by_a_rule_or_owed_by_a_later_one() {
        var answered = new TreeSet<String>();
        rules().forEach(rule -> answered.addAll(answeredBy(rule)));

        assertThat(answered).doesNotContainAnyElementsOf(OWED);
        answered.addAll(OWED);
        assertThat(answered).containsAll(POSTGRES).containsAll(VALKEY);
    }

    private static Stream<Method> rules() {
        return Stream.of(StoreContract.class.getDeclaredClasses())
                .flatMap(family -> Stream.of(family.getSuperclass().getDeclaredMethods()));
    }

    private static List<String> answeredBy(Method rule) {
        var answers = rule.getAnnotation(BatchAnswers.class);
        return answers == null ? List.of() : List.of(answers.value());
    }

    private static Set<String> numbered(String prefix, IntStream... numbers) {
        var all = new TreeSet<String>();
        Stream.of(numbers).flatMap(IntStream::boxed).forEach(number -> all.add(prefix + number));
        return all;
    }
}
