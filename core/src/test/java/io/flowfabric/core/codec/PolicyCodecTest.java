package io.flowfabric.core.codec;

import static io.flowfabric.core.Examples.NOON;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;

class PolicyCodecTest {
    private static final Policy FULL =
            Policy.DEFAULT
                    .priority(7)
                    .start(Due.in(Duration.ofSeconds(5)))
                    .deadline(Due.at(NOON))
                    .retry(
                            Retry.DEFAULT
                                    .backoff(Backoff.fixed(Duration.ofMillis(1500)))
                                    .jitter(0.25)
                                    .only("timeout"))
                    .attemptTimeout(Duration.ofMinutes(1))
                    .stallTimeout(Duration.ofMillis(1))
                    .needs(Capabilities.of("gpu", "torch>=2.3"))
                    .quota("calls")
                    .quota("calls", "ada")
                    .budget("team", Map.of("tokens", 5L))
                    .budget("shop")
                    .maxReclaims(0)
                    .maxReplays(3)
                    .retention(Duration.ZERO)
                    .share("ada");

    /** The form as of the first version. It is stored: programs to come must read it. */
    private static final String RECORDED =
            "{\"priority\":7,\"start\":\"after 5000\",\"deadline\":\"at 1772366400000\","
                    + "\"retry\":{\"backoff\":{\"kind\":\"fixed\",\"delay_ms\":1500},"
                    + "\"jitter\":0.25,\"categories\":[\"timeout\"]},"
                    + "\"attempt_timeout_ms\":60000,\"stall_timeout_ms\":1,"
                    + "\"needs\":[\"gpu\",\"torch>=2.3\"],"
                    + "\"quotas\":[{\"quota\":\"calls\"},{\"quota\":\"calls\",\"key\":\"ada\"}],"
                    + "\"budgets\":[{\"budget\":\"shop\"},"
                    + "{\"budget\":\"team\",\"reserve\":{\"tokens\":5}}],"
                    + "\"max_reclaims\":0,\"max_replays\":3,\"retention_ms\":0,"
                    + "\"share\":\"ada\"}";

    @Test
    void a_policy_by_default_is_an_empty_object() {
        assertThat(PolicyCodec.write(Policy.DEFAULT)).hasToString("{}");
        assertThat(PolicyCodec.read(JsonObject.EMPTY)).isEqualTo(Policy.DEFAULT);
    }

    @Test
    void what_was_recorded_is_written_and_read_the_same_for_ever() {
        assertThat(PolicyCodec.write(FULL)).hasToString(RECORDED);
        assertThat(PolicyCodec.read(Json.parseObject(RECORDED))).isEqualTo(FULL);
    }

    @Test
    void what_a_newer_program_wrote_is_read_without_what_is_new() {
        var newer =
                RECORDED.replace(
                        "{\"priority\":7",
                        "{\"colour\":{\"of\":[1,2]},\"priority\":7,\"affinity\":null");

        assertThat(PolicyCodec.read(Json.parseObject(newer))).isEqualTo(FULL);
    }

    @Test
    void every_policy_is_read_as_it_was_written() {
        long seed = 20260301;
        var random = new SplittableRandom(seed);
        for (int i = 0; i < 2_000; i++) {
            var policy = policy(random);
            var text = PolicyCodec.write(policy).toString();
            assertThat(PolicyCodec.read(Json.parseObject(text)))
                    .as("seed %d, %s", seed, text)
                    .isEqualTo(policy);
        }
    }

    private static Policy policy(SplittableRandom random) {
        var policy = Policy.DEFAULT;
        policy = random.nextBoolean() ? policy.priority(random.nextInt(9001)) : policy;
        policy = random.nextBoolean() ? policy.start(due(random)) : policy;
        policy = random.nextBoolean() ? policy.deadline(due(random)) : policy;
        policy = random.nextBoolean() ? policy.retry(retry(random)) : policy;
        policy = random.nextBoolean() ? policy.attemptTimeout(duration(random)) : policy;
        policy = random.nextBoolean() ? policy.stallTimeout(duration(random)) : policy;
        policy =
                random.nextBoolean()
                        ? policy.needs(Capabilities.of("a", "b=" + name(random)))
                        : policy;
        policy = random.nextBoolean() ? policy.quota(name(random)) : policy;
        policy = random.nextBoolean() ? policy.quota("calls", name(random)) : policy;
        policy = random.nextBoolean() ? policy.budget(name(random)) : policy;
        policy =
                random.nextBoolean()
                        ? policy.budget("b", Map.of(name(random), random.nextLong(1000)))
                        : policy;
        policy = random.nextBoolean() ? policy.maxReclaims(random.nextInt(1000)) : policy;
        policy = random.nextBoolean() ? policy.maxReplays(random.nextInt(1000)) : policy;
        policy = random.nextBoolean() ? policy.retention(duration(random)) : policy;
        return random.nextBoolean() ? policy.share(name(random)) : policy;
    }

    private static Retry retry(SplittableRandom random) {
        var backoff =
                random.nextBoolean()
                        ? Backoff.fixed(duration(random))
                        : Backoff.exponential(
                                Duration.ofMillis(1), duration(random), 1 + random.nextDouble(10));
        var categories = new TreeSet<String>();
        for (int i = random.nextInt(3); i > 0; i--) {
            categories.add(name(random));
        }
        return new Retry(random.nextInt(100), backoff, random.nextDouble(), categories);
    }

    private static Due due(SplittableRandom random) {
        return random.nextBoolean()
                ? Due.in(duration(random))
                : Due.at(NOON.plus(duration(random)));
    }

    private static Duration duration(SplittableRandom random) {
        return Duration.ofMillis(random.nextLong(1, 1L << random.nextInt(1, 40)) + 1);
    }

    private static String name(SplittableRandom random) {
        var odd = new String[] {"\"", "\\", "é", "\uD83D\uDE00", "/", "'", ":", "x"};
        return odd[random.nextInt(odd.length)] + random.nextInt(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "after", "soon 5", "after x", "at ", "5"})
    void what_is_no_moment_is_refused(String text) {
        assertThatThrownBy(() -> PolicyCodec.readDue(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"priority\":\"high\"}",
                "{\"retry\":{\"backoff\":{\"kind\":\"lunar\"}}}",
                "{\"retry\":{\"backoff\":{\"kind\":\"fixed\"}}}",
                "{\"quotas\":[{\"key\":\"ada\"}]}"
            })
    void a_field_that_cannot_be_understood_is_not_passed_over(String text) {
        assertThatThrownBy(() -> PolicyCodec.read(Json.parseObject(text)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
