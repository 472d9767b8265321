package io.flowfabric.valkey.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Which partitions the claims of a session visit. */
class PartitionTurnsTest {
    private static final SessionId SESSION = new SessionId(new UUID(1, 2));
    private static final List<Partition> MANY =
            Spread.of(new Namespace("many"), 50, Placement.HASHED).all();
    private static final List<Partition> FEW = MANY.subList(0, 3);

    @Test
    void a_claim_visits_no_more_than_a_few_partitions() {
        assertThat(turns(MANY).next()).hasSize(PartitionTurns.SCAN).doesNotHaveDuplicates();
    }

    @Test
    void a_claim_visits_no_partition_twice_where_there_are_few() {
        assertThat(turns(FEW).next()).containsExactlyInAnyOrderElementsOf(FEW);
    }

    @Test
    void every_partition_is_reached_by_as_many_claims_as_it_takes_to_go_round_once() {
        var turns = turns(MANY);
        var reached = new HashSet<Partition>();
        int rounds = (MANY.size() + PartitionTurns.SCAN - 1) / PartitionTurns.SCAN;

        for (int round = 0; round < rounds; round++) {
            visit(turns, turns.next(), false);
            reached.addAll(turns.next());
        }

        assertThat(reached).containsExactlyInAnyOrderElementsOf(MANY);
    }

    @Test
    void a_claim_begins_behind_the_partition_where_the_last_one_ended() {
        var turns = turns(MANY);
        var first = turns.next();
        turns.visited(first.getFirst(), true);

        assertThat(turns.next()).startsWith(first.get(1), first.get(2));
    }

    @Test
    void behind_the_last_partition_comes_the_first() {
        var turns = turns(FEW);
        turns.visited(FEW.getLast(), true);

        assertThat(turns.next()).containsExactlyElementsOf(FEW);
    }

    @Test
    void a_session_always_begins_at_the_same_partition_and_others_at_others() {
        assertThat(turns(MANY).next()).isEqualTo(turns(MANY).next());
        assertThat(
                        IntStream.range(0, 200)
                                .mapToObj(n -> new SessionId(UUID.randomUUID()))
                                .map(id -> new PartitionTurns(id, MANY, Placement.HASHED))
                                .map(turns -> turns.next().getFirst())
                                .distinct())
                .hasSizeGreaterThan(MANY.size() / 2);
    }

    @Test
    void there_may_be_more_until_nothing_was_found_in_any_partition() {
        var turns = turns(FEW);
        assertThat(turns.isMore()).isTrue();

        visit(turns, turns.next(), false);
        assertThat(turns.isMore()).isFalse();

        turns.visited(FEW.getFirst(), true);
        assertThat(turns.isMore()).isTrue();
    }

    @Test
    void a_number_is_heard_when_it_was_used_or_may_have_been_by_another_process() {
        var turns = turns(FEW);
        assertThat(Stream.of(3L, 3L, 4L, 2L).map(turns::isHeard))
                .containsExactly(true, true, false, true);
        assertThat(turns(FEW).isHeard(1)).isFalse();
    }

    private static PartitionTurns turns(List<Partition> parts) {
        return new PartitionTurns(SESSION, parts, Placement.HASHED);
    }

    private static void visit(PartitionTurns turns, List<Partition> some, boolean found) {
        some.forEach(partition -> turns.visited(partition, found));
    }
}
