package io.flowfabric.postgres.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.store.Chunks;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

class ExecutionBatchesTest {
    private static final UUID ONE = new UUID(0, 1);
    private static final UUID TWO = new UUID(0, 2);
    private static final UUID THREE = new UUID(0, 3);
    private static final long HALF = Chunks.BYTES / 2;

    private record Item(UUID execution, String name, long size) {}

    private final List<List<String>> pieces = new ArrayList<>();

    @Test
    void repeats_come_in_pieces_of_their_own_and_answers_in_the_order_of_the_batch() {
        var answers = answer(item(ONE, "a", 0), item(TWO, "b", 0), item(ONE, "c", 0));

        assertThat(pieces).containsExactly(List.of("a", "b"), List.of("c"));
        assertThat(answers).containsExactly("a", "b", "c");
    }

    @Test
    void a_piece_has_no_more_bytes_than_one_commit_should() {
        answer(item(ONE, "a", HALF), item(TWO, "b", HALF), item(THREE, "c", 1));

        assertThat(pieces).containsExactly(List.of("a", "b"), List.of("c"));
    }

    @Test
    void what_is_small_enough_does_not_overtake_an_earlier_item_of_its_execution() {
        var answers = answer(item(ONE, "a", HALF), item(TWO, "b", HALF + 1), item(TWO, "c", 1));

        assertThat(pieces).containsExactly(List.of("a"), List.of("b"), List.of("c"));
        assertThat(answers).containsExactly("a", "b", "c");
    }

    private static Item item(UUID execution, String name, long size) {
        return new Item(execution, name, size);
    }

    private List<String> answer(Item... items) {
        return ExecutionBatches.<Item, String>answer(
                        "items", List.of(items), Item::execution, Item::size, this::answered)
                .stream()
                .map(Answer::orThrow)
                .toList();
    }

    private Map<UUID, Answer<String>> answered(List<Item> piece) {
        pieces.add(piece.stream().map(Item::name).toList());
        var answers = new HashMap<UUID, Answer<String>>();
        piece.forEach(item -> answers.put(item.execution, Answer.done(item.name)));
        return answers;
    }
}
