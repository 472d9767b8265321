package io.flowfabric.core.policy;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

class CapabilitiesTest {
    private static final Capabilities GPU = Capabilities.of("gpu");
    private static final Capabilities GPU_AND_CUDA = Capabilities.of("gpu", "cuda");

    @Test
    void the_written_form_is_sorted_and_joined_by_commas() {
        assertThat(GPU_AND_CUDA).hasToString("cuda,gpu");
        assertThat(Capabilities.NONE).hasToString("");
        assertThat(Capabilities.parse("cuda,gpu")).isEqualTo(GPU_AND_CUDA);
        assertThat(Capabilities.parse("")).isEqualTo(Capabilities.NONE);
    }

    @Test
    void neither_order_nor_repetition_matters() {
        assertThat(Capabilities.parse("gpu,cuda,gpu")).isEqualTo(GPU_AND_CUDA);
        assertThat(Capabilities.of("cuda", "gpu", "gpu")).isEqualTo(GPU_AND_CUDA);
        assertThat(Capabilities.of(List.of("gpu", "cuda"))).isEqualTo(GPU_AND_CUDA);
    }

    @Test
    void a_worker_covers_what_it_offers_and_less() {
        assertThat(GPU_AND_CUDA.cover(GPU_AND_CUDA)).isTrue();
        assertThat(GPU_AND_CUDA.cover(GPU)).isTrue();
        assertThat(GPU_AND_CUDA.cover(Capabilities.NONE)).isTrue();
        assertThat(Capabilities.NONE.cover(Capabilities.NONE)).isTrue();
        assertThat(GPU.cover(GPU_AND_CUDA)).isFalse();
        assertThat(Capabilities.NONE.cover(GPU)).isFalse();
    }

    @Test
    void words_are_compared_exactly() {
        assertThat(GPU.cover(Capabilities.of("GPU"))).isFalse();
        assertThat(GPU.cover(Capabilities.of("gp"))).isFalse();
    }

    @Test
    void what_is_missing_is_needed_and_not_offered() {
        assertThat(GPU.missing(GPU_AND_CUDA)).isEqualTo(Capabilities.of("cuda"));
        assertThat(GPU_AND_CUDA.missing(GPU)).isEqualTo(Capabilities.NONE);
        assertThat(Capabilities.NONE.missing(GPU)).isEqualTo(GPU);
        assertThat(GPU_AND_CUDA).as("it is left as it was").hasToString("cuda,gpu");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "région=eu", "\uD83E\uDDAD", "a/b:c;d", "\u3042", "!"})
    void a_word_may_be_of_any_language(String word) {
        assertThat(Capabilities.parse(word).words()).containsExactly(word);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {" ", "a b", "\u00A0", "\u2003", "\u2007", "\u2028", "\u3000", " a", "a "})
    void white_space_is_refused(String word) {
        assertRefused(Invalid.Code.MALFORMED_CAPABILITY, "capability", () -> Capabilities.of(word));
    }

    @Test
    void a_comma_is_refused_inside_a_word() {
        assertRefused(
                Invalid.Code.MALFORMED_CAPABILITY, "capability", () -> Capabilities.of("a,b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "\t", "\n", "a\r", "\u007F", "\u0085", "\uD800"})
    void what_is_no_name_is_no_word(String word) {
        assertRefused(Invalid.Code.NOT_PRINTABLE, "capability", () -> Capabilities.of(word));
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "a,", ",a", "a,,b"})
    void an_empty_word_is_refused(String text) {
        assertRefused(Invalid.Code.EMPTY, "capability", () -> Capabilities.parse(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // what is offered | what is needed | whether that is enough
                "gpu | gpu | true",
                "region=eu | region=eu | true",
                "region=eu | region=us | false",
                "region=eu,region=us | region=us | true",
                "region=eu,region=us | region=eu,region=us | true",
                "torch=2.3.1 | torch=2.3.1 | true",
                "torch=2.3.0 | torch=2.3 | false",
                "torch=2.3.1 | torch | false",
                "torch | torch>=2.3 | false",
                "torch=2.3.1 | torch>=2.3 | true",
                "torch=2.3.0 | torch>=2.3 | true",
                "torch=2.10 | torch>=2.3 | true",
                "torch=2.2.9 | torch>=2.3 | false",
                "torch=2.3.0-rc1 | torch>=2.3 | false",
                "torch=2.3.1+cu121 | torch>=2.3.1 | true",
                "torch=2.3.0 | torch>2.3 | false",
                "torch=2.3.0.1 | torch>2.3 | true",
                "torch=2.3.0 | torch<=2.3 | true",
                "torch=2.3.1 | torch<=2.3 | false",
                "torch=2.3.0-rc1 | torch<2.3 | true",
                "torch=2.3.0 | torch<2.3 | false",
                "torch=nightly | torch>=0 | false",
                "torch=nightly,torch=2.4 | torch>=0 | true",
                "torch=2.4 | torch>=2.3,torch<3 | true",
                "torch=3.1 | torch>=2.3,torch<3 | false",
                "torch=1.9,torch=3.1 | torch>=2.3,torch<3 | false",
                "torch=1.9,torch=2.5,torch=3.1 | torch>=2.3,torch<3 | true",
                "torch=2.4 | gpu,torch>=2.3 | false",
                "gpu,torch=2.4 | gpu,torch>=2.3 | true",
                "pytorch=2.4,torch-nightly=2.4 | torch>=2.3 | false",
                "Torch=2.4 | torch>=2.3 | false",
                "c++=17 | c++>=11 | true",
                "\u7248\u672C=2 | \u7248\u672C>=1 | true",
            })
    void a_worker_covers_what_its_attributes_meet(String offered, String needed, boolean covered) {
        var offers = Capabilities.parse(offered).asOffer();
        var needs = Capabilities.parse(needed);

        assertThat(offers.cover(needs)).isEqualTo(covered);
        assertThat(offers.missing(needs).words().isEmpty()).isEqualTo(covered);
    }

    @Test
    void the_bounds_of_one_key_are_met_or_missing_together() {
        var offers = Capabilities.of("gpu", "torch=1.9", "torch=3.1");

        assertThat(offers.missing(Capabilities.of("gpu", "tpu", "torch>=2.3", "torch<3")))
                .isEqualTo(Capabilities.of("tpu", "torch<3", "torch>=2.3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"torch>=2.3", "torch>2.3", "torch<=2.3", "torch<2.3"})
    void a_comparison_is_needed_and_never_offered(String comparison) {
        var needs = Capabilities.of("gpu", comparison);

        assertThat(needs.compare()).isTrue();
        assertRefused(Invalid.Code.COMPARISON_OFFERED, "offers", needs::asOffer);
    }

    @Test
    void words_and_attributes_can_be_offered() {
        var offers = Capabilities.of("gpu", "region=eu");

        assertThat(offers.asOffer()).isSameAs(offers);
        assertThat(offers.compare()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "=",
                "=eu",
                ">=2",
                "<2",
                "region=",
                "torch>=",
                "torch>",
                "region==eu",
                "region=a=b",
                "torch=>2",
                "torch>>2",
                "torch<>2",
                "torch>=<2",
                "region!=eu",
                "torch~=2.3",
                "torch:=2",
                "torch^=2",
                "a<b>",
                "torch>=new",
                "torch>=v2",
                "torch>=2.",
                "torch>=.2",
                "torch>=2..3",
                "torch>=2.x",
                "torch>=-1",
                "torch>=2-",
                "torch>=2+",
                "torch>=2.3.rc1",
                "torch>=\u0662"
            })
    void what_is_neither_word_nor_attribute_nor_comparison_is_refused(String word) {
        assertRefused(Invalid.Code.MALFORMED_CAPABILITY, "capability", () -> Capabilities.of(word));
    }

    @Test
    void there_may_be_256_and_no_more() {
        var words = IntStream.range(0, 256).mapToObj(i -> "w" + i).toList();
        var oneMore = IntStream.range(0, 257).mapToObj(i -> "w" + i).toList();

        assertThat(Capabilities.of(words).words()).hasSize(256);
        assertRefused(Invalid.Code.TOO_MANY, "capabilities", () -> Capabilities.of(oneMore));
    }

    @Test
    void the_written_form_may_take_4096_bytes_and_no_more() {
        var half = "é".repeat(1024);

        assertThat(Capabilities.of(longest(Limit.CAPABILITY_BYTES)).words()).hasSize(1);
        assertThat(Capabilities.of("x".repeat(2047), half).toString()).hasSize(2047 + 1 + 1024);
        assertRefused(
                Invalid.Code.TOO_LARGE,
                "capabilities",
                () -> Capabilities.of("x".repeat(2048), half));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "capability",
                () -> Capabilities.of(tooLong(Limit.CAPABILITY_BYTES)));
    }

    @Test
    void nobody_can_change_them() {
        var given = new TreeSet<>(List.of("gpu"));
        var capabilities = new Capabilities(given);
        given.add("not, a word");

        assertThat(capabilities).isEqualTo(GPU);
        assertThatThrownBy(() -> capabilities.words().add("cuda"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void the_order_of_a_set_that_is_sorted_otherwise_does_not_matter() {
        var backwards = new TreeSet<String>(Comparator.reverseOrder());
        backwards.addAll(List.of("cuda", "gpu"));
        var careless = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        careless.add("gpu");

        assertThat(new Capabilities(backwards)).hasToString("cuda,gpu");
        assertThat(new Capabilities(careless).cover(Capabilities.of("GPU"))).isFalse();
    }
}
