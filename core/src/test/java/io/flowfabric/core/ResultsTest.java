package io.flowfabric.core;

import static io.flowfabric.core.Examples.FENCE;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OTHER_FENCE;
import static io.flowfabric.core.Examples.OWNER;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.HeartbeatResult;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Results are snapshots: nobody changes them after they were given out. */
class ResultsTest {

    @Test
    void a_page_keeps_its_items() {
        var items = new ArrayList<>(List.of("a"));
        var page = new Page<>(items, Cursor.END);
        items.add("b");

        assertThat(page.items()).containsExactly("a");
        assertThatThrownBy(() -> page.items().add("b"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_claim_that_met_no_obstacle_tells_of_none_and_does_not_ask_for_another() {
        assertThat(Claimed.of(List.of())).isEqualTo(new Claimed(List.of(), Set.of(), false));
    }

    @Test
    void a_batch_of_a_feed_keeps_its_entries() {
        var renewal = new Event.Renewal(OWNER, Namespace.DEFAULT, NOON, NOON);
        var entries = new ArrayList<>(List.of(new Feeds.Entry(renewal, Cursor.NOW)));
        var batch = new Feeds.Batch(entries, Cursor.NOW, false);
        entries.clear();

        assertThat(batch.entries()).hasSize(1);
        assertThatThrownBy(() -> batch.entries().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_beat_keeps_what_was_lost() {
        var lost = new HashSet<>(Set.of(FENCE));
        var beat = new HeartbeatResult(NOON, lost, 0);
        lost.add(OTHER_FENCE);

        assertThat(beat.lost()).containsExactly(FENCE);
        assertThatThrownBy(() -> beat.lost().add(OTHER_FENCE))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
