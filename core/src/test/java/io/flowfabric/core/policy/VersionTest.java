package io.flowfabric.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

class VersionTest {
    private static final long SEED = 20_260_101;
    private static final int ROUNDS = 10_000;

    private static final List<Version> IN_ORDER =
            Stream.of(
                            "0-1",
                            "0",
                            "0.0.1",
                            "1.9",
                            "1.10",
                            "2.3-0",
                            "2.3-1",
                            "2.3-1a",
                            "2.3-2",
                            "2.3-10",
                            "2.3-RC1",
                            "2.3-a",
                            "2.3-a1",
                            "2.3-a1.1",
                            "2.3-a2",
                            "2.3-alpha",
                            "2.3-rc2",
                            "2.3-rc10",
                            "2.3",
                            "2.3.0.0.1",
                            "2.3.1-rc1",
                            "2.3.1",
                            "2.10",
                            "10",
                            "9".repeat(30),
                            "1" + "0".repeat(30))
                    .map(VersionTest::version)
                    .toList();

    @Test
    void versions_have_their_places_in_one_order() {
        for (int i = 0; i < IN_ORDER.size(); i++) {
            for (int j = 0; j < IN_ORDER.size(); j++) {
                assertThat(sign(IN_ORDER.get(i), IN_ORDER.get(j)))
                        .as("%s beside %s", IN_ORDER.get(i), IN_ORDER.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2.3, 2.3.0",
        "0, 0.0.0",
        "2.3, 02.003",
        "2.3.1, 2.3.1+cu121",
        "2.3+a, 2.3+b.c-d",
        "2.3.0-rc1, 2.3.0rc1",
        "2.3.0-rc1, 2.3-rc.1",
        "2.3.0-rc1, 2.3-rc-001",
        "2.3-0, 2.3-00"
    })
    void the_same_version_can_be_written_in_several_ways(String one, String other) {
        assertThat(version(one)).isEqualTo(version(other)).isEqualByComparingTo(version(other));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "-",
                "+",
                "v1",
                "nightly",
                "1.",
                ".1",
                "1..2",
                "1.x",
                "1.rc1",
                "1-",
                "1--a",
                "1-a.",
                "1-a..b",
                "1+",
                "1+a+b",
                "1+a_b",
                "1_0",
                "1 0",
                "-1",
                "\u0661",
                "1-\u00E9"
            })
    void other_text_is_no_version(String text) {
        assertThat(Version.parse(text)).isEmpty();
    }

    /** Total, antisymmetric and transitive; what is equal in the order is equal. */
    @Test
    void the_order_is_an_order() {
        var random = new SplittableRandom(SEED);
        int equal = 0;
        for (int round = 0; round < ROUNDS; round++) {
            var a = any(random);
            var b = any(random);
            var c = any(random);
            var what = "seed %d, round %d: %s, %s, %s".formatted(SEED, round, a, b, c);

            assertThat(sign(a, b)).as(what).isEqualTo(-sign(b, a));
            assertThat(sign(a, b) == 0).as(what).isEqualTo(a.equals(b));
            if (sign(a, b) <= 0 && sign(b, c) <= 0) {
                assertThat(sign(a, c))
                        .as(what)
                        .isEqualTo(sign(a, b) == 0 && sign(b, c) == 0 ? 0 : -1);
            }
            equal += a.equals(b) ? 1 : 0;
        }
        assertThat(equal).as("rounds with two equal versions").isGreaterThan(ROUNDS / 200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1-a", "1-z", "1-A", "1-Z", "1-0", "1-9", "1a", "1Z", "1+azAZ09"})
    void every_letter_and_digit_of_ascii_may_be_in_a_suffix(String text) {
        assertThat(Version.parse(text)).isPresent();
    }

    private static int sign(Version one, Version other) {
        return Integer.signum(one.compareTo(other));
    }

    private static Version any(SplittableRandom random) {
        return version(anyText(random));
    }

    /** Of few parts, so that what is equal or nearly equal comes up all the time. */
    private static String anyText(SplittableRandom random) {
        var text = new StringBuilder(one(random, "0", "1", "01", "2"));
        for (int n = random.nextInt(3); n > 0; n--) {
            text.append('.').append(one(random, "0", "00", "1", "10", "9".repeat(40)));
        }
        if (random.nextBoolean()) {
            text.append(one(random, "-", "-1.", "-0")).append(one(random, "a", "b", "rc", "RC"));
            for (int n = random.nextInt(3); n > 0; n--) {
                text.append(one(random, "", ".", "-")).append(one(random, "0", "1", "02", "x"));
            }
        }
        return text.append(one(random, "", "", "+cu121")).toString();
    }

    private static String one(SplittableRandom random, String... choice) {
        return choice[random.nextInt(choice.length)];
    }

    private static Version version(String text) {
        return Version.parse(text).orElseThrow(() -> new AssertionError(text + " is no version"));
    }
}
