package io.flowfabric.core.contract;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Components;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.Tags;

import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

class SearchTest {
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
                                Tags.NONE,
                                false));
    }

    @Test
    void a_change_changes_its_own_field_and_no_other() {
        var full =
                plain.lane("emails")
                        .kind("welcome")
                        .states(PublicState.WAITING, PublicState.ACTIVE)
                        .tag("a", "1")
                        .reversed();

        assertThat(full.newestFirst()).isTrue();
        assertThat(Components.changed(full, full.lane("letters"))).containsExactly("lane");
        assertThat(Components.changed(full, full.kind("goodbye"))).containsExactly("kind");
        assertThat(Components.changed(full, full.states(PublicState.FAILED)))
                .containsExactly("states");
        assertThat(Components.changed(full, full.tag("b", "2"))).containsExactly("tags");
        assertThat(full.tag("b", "2").tags().values()).containsOnlyKeys("a", "b");
        assertThat(Components.changed(full, full.reversed())).containsExactly("newestFirst");
        assertThat(full.reversed().reversed()).isEqualTo(full);
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
    }

    @Test
    void nobody_can_change_the_states() {
        var states = EnumSet.of(PublicState.WAITING);
        var search = new Search(SHOP, Optional.empty(), Optional.empty(), states, Tags.NONE, false);
        states.add(PublicState.FAILED);

        assertThat(search.states()).containsExactly(PublicState.WAITING);
        assertThatThrownBy(() -> search.states().add(PublicState.FAILED))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
