package io.flowfabric.core.query;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Components;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.Tags;
import io.flowfabric.core.state.StateVector.BlockingReason;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

class SearchTest {
    private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
    private static final Namespace SHOP = new Namespace("shop");
    private final Search plain = Search.in(SHOP);

    @Test
    void a_plain_one_is_for_everything_in_a_namespace_oldest_first() {
        assertThat(plain)
                .isEqualTo(
                        new Search(
                                SHOP,
                                Optional.empty(),
                                Optional.empty(),
                                Set.of(),
                                Optional.empty(),
                                false,
                                Tags.NONE,
                                Optional.empty(),
                                TimeRange.EVER,
                                TimeRange.EVER,
                                Optional.empty(),
                                Optional.empty(),
                                Search.Order.OLDEST_FIRST));
    }

    @Test
    void a_change_changes_its_own_field_and_no_other() {
        var full =
                plain.lane("emails")
                        .kind("welcome")
                        .states(PublicState.WAITING, PublicState.ACTIVE)
                        .reason(BlockingReason.WAITING_FOR_DELAY)
                        .tag("a", "1")
                        .creator("ada")
                        .submitted(TimeRange.since(NOON))
                        .changed(TimeRange.until(NOON))
                        .partition(new Partition(7))
                        .worker("mailer")
                        .newestFirst();

        assertThat(full.order()).isEqualTo(Search.Order.NEWEST_FIRST);
        assertThat(Components.changed(full, full.lane("letters"))).containsExactly("lane");
        assertThat(Components.changed(full, full.kind("goodbye"))).containsExactly("kind");
        assertThat(Components.changed(full, full.states(PublicState.FAILED)))
                .containsExactly("states");
        assertThat(Components.changed(full, full.tag("b", "2"))).containsExactly("tags");
        assertThat(Components.changed(full, full.reason(BlockingReason.NONE)))
                .containsExactly("reason");
        assertThat(Components.changed(full, full.onlyLapsed())).containsExactly("lapsed");
        assertThat(Components.changed(full, full.creator("ben"))).containsExactly("creator");
        assertThat(Components.changed(full, full.submitted(TimeRange.EVER)))
                .containsExactly("submitted");
        assertThat(Components.changed(full, full.changed(TimeRange.EVER)))
                .containsExactly("changed");
        assertThat(Components.changed(full, full.partition(new Partition(8))))
                .containsExactly("partition");
        assertThat(Components.changed(full, full.worker("sender"))).containsExactly("worker");
        assertThat(full.tag("b", "2").tags().values()).containsOnlyKeys("a", "b");
        assertThat(Components.changed(full, full.oldestFirst())).containsExactly("order");
        assertThat(full.newestFirst()).as("asked for twice").isEqualTo(full);
        assertThat(full.oldestFirst().newestFirst()).isEqualTo(full);
    }

    @Test
    void what_no_execution_can_have_is_refused() {
        assertThat(plain.lane(longest(Limit.LANE_BYTES)).lane()).isPresent();
        assertThat(plain.kind(longest(Limit.NAME_BYTES)).kind()).isPresent();
        assertRefused(Invalid.Code.EMPTY, "lane", () -> plain.lane(""));
        assertRefused(Invalid.Code.TOO_LONG, "lane", () -> plain.lane(tooLong(Limit.LANE_BYTES)));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "lane", () -> plain.lane("é"));
        assertRefused(Invalid.Code.EMPTY, "kind", () -> plain.kind(""));
        assertRefused(Invalid.Code.TOO_LONG, "kind", () -> plain.kind(tooLong(Limit.NAME_BYTES)));
        assertRefused(Invalid.Code.MALFORMED_TAG_KEY, "tag ff.x", () -> plain.tag("ff.x", "1"));
        assertRefused(
                Invalid.Code.TOO_LONG, "creator", () -> plain.creator(tooLong(Limit.NAME_BYTES)));
        assertRefused(Invalid.Code.EMPTY, "worker", () -> plain.worker(""));
    }

    @Test
    void a_span_has_its_beginning_and_not_its_end() {
        var minute = TimeRange.between(NOON, NOON.plusSeconds(60));

        assertThat(minute.holds(NOON.minusMillis(1))).isFalse();
        assertThat(minute.holds(NOON)).isTrue();
        assertThat(minute.holds(NOON.plusSeconds(60).minusMillis(1))).isTrue();
        assertThat(minute.holds(NOON.plusSeconds(60))).isFalse();
        assertThat(TimeRange.EVER.holds(Instant.MIN)).isTrue();
        assertThat(TimeRange.since(NOON).holds(NOON)).isTrue();
        assertThat(TimeRange.since(NOON).holds(NOON.minusMillis(1))).isFalse();
        assertThat(TimeRange.until(NOON).holds(NOON)).isFalse();
        assertThat(TimeRange.until(NOON).holds(NOON.minusMillis(1))).isTrue();
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "time span",
                () -> TimeRange.between(NOON, NOON.minusMillis(1)));
    }

    @Test
    void nobody_can_change_the_states() {
        var states = EnumSet.of(PublicState.WAITING);
        var search =
                new Search(
                        SHOP,
                        Optional.empty(),
                        Optional.empty(),
                        states,
                        Optional.empty(),
                        false,
                        Tags.NONE,
                        Optional.empty(),
                        TimeRange.EVER,
                        TimeRange.EVER,
                        Optional.empty(),
                        Optional.empty(),
                        Search.Order.OLDEST_FIRST);
        states.add(PublicState.FAILED);

        assertThat(search.states()).containsExactly(PublicState.WAITING);
        assertThatThrownBy(() -> search.states().add(PublicState.FAILED))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
