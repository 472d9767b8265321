package io.flowfabric.core.lease;

import static io.flowfabric.core.Examples.SESSION;
import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Components;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.policy.Capabilities;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

class SessionTest {
    private static final Namespace SHOP = new Namespace("shop");
    private final Session plain = Session.of("mailer", "mailer-1", "emails", "letters");

    @Test
    void a_plain_one_takes_everything_from_its_lanes() {
        assertThat(plain.namespace()).isEqualTo(Namespace.DEFAULT);
        assertThat(plain.worker()).isEqualTo("mailer");
        assertThat(plain.instance()).isEqualTo("mailer-1");
        assertThat(plain.lanes()).containsExactly("emails", "letters");
        assertThat(plain.kinds()).isEmpty();
        assertThat(plain.offers()).isEqualTo(Capabilities.NONE);
        assertThat(plain.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(plain.id()).isNotEqualTo(Session.of("mailer", "mailer-1", "emails").id());
    }

    @Test
    void it_sends_a_heartbeat_six_times_in_its_life_and_gives_itself_up_one_before_its_end() {
        assertThat(plain.heartbeatEvery()).isEqualTo(Duration.ofSeconds(5));
        assertThat(plain.givesItselfUpAfter()).isEqualTo(Duration.ofSeconds(25));
        assertThat(Heartbeat.of(plain.id()).patience()).isEqualTo(plain.heartbeatEvery());

        var brief = plain.ttl(Duration.ofMillis(600));
        assertThat(brief.heartbeatEvery()).isEqualTo(Duration.ofMillis(100));
        assertThat(brief.givesItselfUpAfter()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void a_change_changes_its_own_field_and_no_other() {
        var full = plain.namespace(SHOP).kinds("a").offers(Capabilities.of("gpu"));

        assertThat(Components.changed(full, full.id(SESSION))).containsExactly("id");
        assertThat(Components.changed(full, full.namespace(Namespace.DEFAULT)))
                .containsExactly("namespace");
        assertThat(Components.changed(full, full.kinds("b", "c"))).containsExactly("kinds");
        assertThat(Components.changed(full, full.offers(Capabilities.NONE)))
                .containsExactly("offers");
        assertThat(Components.changed(full, full.ttl(Duration.ofSeconds(1))))
                .containsExactly("ttl");
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', any, '', true",
        "'', gpu, any, gpu, true",
        "'', gpu, any, '', true",
        "'', '', any, gpu, false",
        "a, '', a, '', true",
        "a, '', b, '', false",
        "a, gpu, b, gpu, false",
        "a, gpu, a, 'cuda,gpu', false",
        "a, 'cuda,gpu', a, 'cuda,gpu', true"
    })
    void it_is_able_when_it_handles_the_kind_and_has_what_is_needed(
            String kinds, String offers, String kind, String needs, boolean able) {
        var session = plain.offers(Capabilities.parse(offers));
        session = kinds.isEmpty() ? session : session.kinds(kinds);

        assertThat(session.able(kind, Capabilities.parse(needs))).isEqualTo(able);
    }

    @Test
    void a_comparison_is_not_offered() {
        assertRefused(
                Invalid.Code.COMPARISON_OFFERED,
                "offers",
                () -> plain.offers(Capabilities.of("gpu", "torch>=2.3")));
    }

    @Test
    void it_serves_the_lanes_it_names_in_its_own_namespace() {
        assertThat(plain.serves(Lane.of("emails"))).isTrue();
        assertThat(plain.serves(Lane.of("other"))).isFalse();
        assertThat(plain.serves(new Lane(SHOP, "emails"))).isFalse();
        assertThat(plain.namespace(SHOP).serves(new Lane(SHOP, "emails"))).isTrue();
        assertThat(plain.namespace(SHOP).serves(Lane.of("emails"))).isFalse();
    }

    @Test
    void worker_and_instance_are_names() {
        var longest = longest(Limit.NAME_BYTES);

        assertThat(Session.of(longest, longest, "emails").worker()).isEqualTo(longest);
        assertRefused(Invalid.Code.EMPTY, "worker", () -> Session.of("", "i", "emails"));
        assertRefused(Invalid.Code.EMPTY, "instance", () -> Session.of("w", "", "emails"));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "worker",
                () -> Session.of(tooLong(Limit.NAME_BYTES), "i", "emails"));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "instance",
                () -> Session.of("w", tooLong(Limit.NAME_BYTES), "emails"));
    }

    @Test
    void it_serves_1_to_256_lanes() {
        var most = IntStream.range(0, 256).mapToObj(i -> "lane" + i).toArray(String[]::new);
        var oneMore = IntStream.range(0, 257).mapToObj(i -> "lane" + i).toArray(String[]::new);

        assertThat(Session.of("w", "i", most).lanes()).hasSize(256);
        assertRefused(Invalid.Code.EMPTY, "lanes", () -> Session.of("w", "i"));
        assertRefused(Invalid.Code.TOO_MANY, "lanes", () -> Session.of("w", "i", oneMore));
    }

    @Test
    void each_lane_has_the_name_of_a_lane() {
        assertThat(Session.of("w", "i", longest(Limit.LANE_BYTES)).lanes()).hasSize(1);
        assertRefused(Invalid.Code.NOT_PRINTABLE, "lane", () -> Session.of("w", "i", "é"));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "lane",
                () -> Session.of("w", "i", "emails", tooLong(Limit.LANE_BYTES)));
    }

    @Test
    void it_names_up_to_1024_kinds() {
        var most = IntStream.range(0, 1024).mapToObj(i -> "kind" + i).toArray(String[]::new);
        var oneMore = IntStream.range(0, 1025).mapToObj(i -> "kind" + i).toArray(String[]::new);

        assertThat(plain.kinds(most).kinds()).hasSize(1024);
        assertRefused(Invalid.Code.TOO_MANY, "kinds", () -> plain.kinds(oneMore));
        assertRefused(Invalid.Code.EMPTY, "kind", () -> plain.kinds("a", ""));
        assertRefused(Invalid.Code.TOO_LONG, "kind", () -> plain.kinds(tooLong(Limit.NAME_BYTES)));
    }

    @Test
    void it_counts_as_alive_for_10_milliseconds_to_an_hour() {
        assertThat(plain.ttl(Duration.ofMillis(10)).ttl()).isEqualTo(Duration.ofMillis(10));
        assertThat(plain.ttl(Duration.ofHours(1)).ttl()).isEqualTo(Duration.ofHours(1));
        assertThat(plain.ttl(Duration.ofNanos(10_999_999)).ttl()).isEqualTo(Duration.ofMillis(10));
        for (var ttl :
                List.of(
                        Duration.ofMillis(10).minusNanos(1),
                        Duration.ZERO,
                        Duration.ofMillis(-1),
                        Duration.ofHours(1).plusNanos(1),
                        Duration.ofSeconds(Long.MAX_VALUE),
                        Duration.ofSeconds(Long.MIN_VALUE))) {
            assertRefused(Invalid.Code.OUT_OF_RANGE, "session ttl", () -> plain.ttl(ttl));
        }
    }

    @Test
    void opening_it_again_is_told_from_opening_another_by_equality() {
        var again =
                new Session(
                        plain.id(),
                        plain.namespace(),
                        plain.worker(),
                        plain.instance(),
                        new TreeSet<>(List.of("letters", "emails")),
                        new TreeSet<>(),
                        Capabilities.of(List.of()),
                        Duration.ofSeconds(30));

        assertThat(again).isEqualTo(plain).hasSameHashCodeAs(plain);
    }

    @Test
    void nobody_can_change_its_lanes_and_kinds() {
        var lanes = new TreeSet<>(List.of("emails"));
        var kinds = new TreeSet<>(List.of("a"));
        var session =
                new Session(
                        SESSION,
                        Namespace.DEFAULT,
                        "w",
                        "i",
                        lanes,
                        kinds,
                        Capabilities.NONE,
                        Session.DEFAULT_TTL);
        lanes.add("letters");
        kinds.add("b");

        assertThat(session.lanes()).containsExactly("emails");
        assertThat(session.kinds()).containsExactly("a");
        assertThatThrownBy(() -> session.lanes().add("letters"))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> session.kinds().add("b"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void naming_a_lane_or_a_kind_twice_is_naming_it_once() {
        var session = Session.of("w", "i", "a", "a").kinds("k", "k");

        assertThat(session.lanes()).containsExactly("a");
        assertThat(session.kinds()).containsExactly("k");
    }
}
