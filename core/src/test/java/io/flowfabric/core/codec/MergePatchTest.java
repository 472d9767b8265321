package io.flowfabric.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

class MergePatchTest {
    /** The examples of RFC 7396, appendix A, of which both are objects. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"a\":\"b\"};{\"a\":\"c\"};{\"a\":\"c\"}",
                "{\"a\":\"b\"};{\"b\":\"c\"};{\"a\":\"b\",\"b\":\"c\"}",
                "{\"a\":\"b\"};{\"a\":null};{}",
                "{\"a\":\"b\",\"b\":\"c\"};{\"a\":null};{\"b\":\"c\"}",
                "{\"a\":[\"b\"]};{\"a\":\"c\"};{\"a\":\"c\"}",
                "{\"a\":\"c\"};{\"a\":[\"b\"]};{\"a\":[\"b\"]}",
                "{\"a\":{\"b\":\"c\"}};{\"a\":{\"b\":\"d\",\"c\":null}};{\"a\":{\"b\":\"d\"}}",
                "{\"a\":[{\"b\":\"c\"}]};{\"a\":[1]};{\"a\":[1]}",
                "{\"e\":null};{\"a\":1};{\"e\":null,\"a\":1}",
                "{};{\"a\":{\"bb\":{\"ccc\":null}}};{\"a\":{\"bb\":{}}}",
            })
    void the_examples_of_the_standard_hold(String document, String patch, String result) {
        assertThat(patched(document, patch)).isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource({
        "1.0",
        "1",
        "1e400",
        "-0",
        "0.1",
        "123456789012345678901234567890",
        "9007199254740993"
    })
    void a_number_stays_as_it_was_written(String number) {
        assertThat(patched("{\"n\":" + number + "}", "{\"a\":1}"))
                .isEqualTo("{\"n\":" + number + ",\"a\":1}");
        assertThat(patched("{}", "{\"n\":[" + number + "]}")).isEqualTo("{\"n\":[" + number + "]}");
    }

    @Test
    void a_long_array_is_replaced_as_a_whole_and_kept_as_a_whole() {
        var array =
                IntStream.range(0, 10_000)
                        .mapToObj(n -> n % 3 == 0 ? "null" : n + ".0")
                        .collect(Collectors.joining(",", "[", "]"));

        assertThat(patched("{\"list\":[1]}", "{\"list\":" + array + "}"))
                .isEqualTo("{\"list\":" + array + "}");
        assertThat(patched("{\"list\":" + array + "}", "{\"a\":1}"))
                .isEqualTo("{\"list\":" + array + ",\"a\":1}");
    }

    private static String patched(String document, String patch) {
        return MergePatch.apply(Json.parseObject(document), Json.parseObject(patch)).toString();
    }
}
