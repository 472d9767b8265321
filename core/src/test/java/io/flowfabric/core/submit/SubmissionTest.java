package io.flowfabric.core.submit;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.OTHER_ID;
import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.payload;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Components;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.policy.Policy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.HashMap;
import java.util.List;
import java.util.Optional;

class SubmissionTest {
    private static final Submission PLAIN =
            new Submission(
                    ID,
                    Lane.DEFAULT,
                    "welcome",
                    Payload.text("ada"),
                    "",
                    Optional.empty(),
                    Tags.NONE,
                    Policy.DEFAULT);

    /** The plain submission with one field changed. */
    private record Change(String field, Submission submission) {
        @Override
        public String toString() {
            return field;
        }
    }

    static List<Change> changes() {
        return List.of(
                new Change("id", PLAIN.id(OTHER_ID)),
                new Change("lane", PLAIN.lane(Lane.of("emails"))),
                new Change("lane", PLAIN.lane(new Lane(new Namespace("shop"), "default"))),
                new Change("kind", Submission.of("goodbye", Payload.text("ada")).id(ID)),
                new Change("input", Submission.of("welcome", Payload.text("bob")).id(ID)),
                new Change(
                        "input",
                        Submission.of("welcome", Payload.of(new byte[] {97, 100, 97}, "a/b"))
                                .id(ID)),
                new Change("creator", PLAIN.creator("shop")),
                new Change("key", PLAIN.key("ada")),
                new Change("tags", PLAIN.tag("customer", "ada")),
                new Change("policy", PLAIN.policy(Policy.DEFAULT.priority(1))));
    }

    @Test
    void a_plain_one_is_for_the_default_lane_and_has_a_new_id() {
        var submission = Submission.of("welcome", Payload.text("ada"));

        assertThat(Components.changed(PLAIN, submission)).containsExactly("id");
        assertThat(submission.id()).isNotEqualTo(Submission.of("welcome", Payload.EMPTY).id());
    }

    @Test
    void a_new_id_is_of_the_partition_of_the_namespace_it_ends_up_in() {
        var shop = new Lane(new Namespace("shop"), "orders");

        var submission = Submission.of("welcome", Payload.text("ada")).lane(shop);

        assertThat(submission.id().partition()).isEqualTo(Partition.of(shop.namespace()));
        assertThat(submission.lane(Lane.DEFAULT).id().partition())
                .isEqualTo(Partition.of(Namespace.DEFAULT));
    }

    @Test
    void every_field_can_be_changed() {
        assertThat(changes().stream().map(Change::field).distinct())
                .containsExactlyInAnyOrderElementsOf(
                        Components.of(Submission.class).stream()
                                .filter(field -> !field.equals("keyUse"))
                                .toList());
    }

    @Test
    void the_use_of_a_key_is_said_with_the_key_and_is_no_part_of_the_content() {
        var exact = PLAIN.key("ada");
        var pending = PLAIN.key("ada", KeyUse.WHILE_PENDING);

        assertThat(exact.keyUse()).isEqualTo(KeyUse.EXACT);
        assertThat(Components.changed(exact, pending)).containsExactly("keyUse");
        assertThat(pending.digest()).isEqualTo(exact.digest());
        assertThat(pending.creator("shop").lane(Lane.of("emails")).tag("a", "1").keyUse())
                .isEqualTo(KeyUse.WHILE_PENDING);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void a_change_changes_its_own_field_and_no_other(Change change) {
        assertThat(Components.changed(PLAIN, change.submission())).containsExactly(change.field());
    }

    @Test
    void a_change_keeps_what_was_changed_before() {
        var full =
                PLAIN.lane(Lane.of("emails"))
                        .creator("shop")
                        .key("ada")
                        .tag("a", "1")
                        .policy(Policy.DEFAULT.priority(1));

        assertThat(Components.changed(full, full.id(OTHER_ID))).containsExactly("id");
        assertThat(Components.changed(full, full.lane(Lane.DEFAULT))).containsExactly("lane");
        assertThat(Components.changed(full, full.creator(""))).containsExactly("creator");
        assertThat(Components.changed(full, full.key("bob"))).containsExactly("key");
        assertThat(Components.changed(full, full.tag("b", "2"))).containsExactly("tags");
        assertThat(full.tag("b", "2").tags().values()).containsOnlyKeys("a", "b");
        assertThat(Components.changed(full, full.policy(Policy.DEFAULT))).containsExactly("policy");
    }

    @Test
    void the_digest_is_of_everything_but_the_id() {
        var seen = new HashMap<Digest, Submission>();
        seen.put(PLAIN.digest(), PLAIN);
        for (var change : changes()) {
            var before = seen.put(change.submission().digest(), change.submission());
            if (change.field().equals("id")) {
                assertThat(before).isEqualTo(PLAIN);
            } else {
                assertThat(before).as("the digest with another %s", change).isNull();
            }
        }
    }

    @Test
    void no_value_moves_from_one_field_to_the_next_in_the_digest() {
        assertThat(
                        List.of(
                                PLAIN.digest(),
                                PLAIN.creator("a").digest(),
                                PLAIN.key("a").digest(),
                                PLAIN.tag("a", "").digest(),
                                PLAIN.tag("a", "b").digest(),
                                PLAIN.tag("a", "").tag("b", "").digest(),
                                PLAIN.tag("ab", "").digest(),
                                PLAIN.creator("a").key("b").digest(),
                                PLAIN.creator("b").key("a").digest(),
                                PLAIN.creator("ab").digest()))
                .doesNotHaveDuplicates();
    }

    @Test
    void the_order_of_tags_is_not_part_of_the_digest() {
        assertThat(PLAIN.tag("a", "1").tag("b", "2").digest())
                .isEqualTo(PLAIN.tag("b", "2").tag("a", "1").digest());
    }

    @Test
    void an_input_may_take_a_mebibyte_and_no_more() {
        assertThat(Submission.of("welcome", payload(1 << 20)).input().size()).isEqualTo(1 << 20);
        assertRefused(
                Invalid.Code.TOO_LARGE,
                "input",
                () -> Submission.of("welcome", payload((1 << 20) + 1)));
    }

    @Test
    void a_kind_is_a_name() {
        assertThat(Submission.of(longest(Limit.NAME_BYTES), Payload.EMPTY).kind()).hasSize(256);
        assertRefused(Invalid.Code.EMPTY, "kind", () -> Submission.of("", Payload.EMPTY));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "kind",
                () -> Submission.of(tooLong(Limit.NAME_BYTES), Payload.EMPTY));
        assertRefused(
                Invalid.Code.NOT_PRINTABLE, "kind", () -> Submission.of("a\n", Payload.EMPTY));
    }

    @Test
    void a_creator_is_a_line_and_may_be_empty() {
        assertThat(PLAIN.creator("").creator()).isEmpty();
        assertThat(PLAIN.creator(longest(Limit.NAME_BYTES)).creator()).hasSize(256);
        assertRefused(
                Invalid.Code.TOO_LONG, "creator", () -> PLAIN.creator(tooLong(Limit.NAME_BYTES)));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "creator", () -> PLAIN.creator("\uD800"));
    }

    @Test
    void a_key_is_a_name_and_never_empty() {
        assertThat(PLAIN.key(longest(Limit.NAME_BYTES)).key()).isPresent();
        assertRefused(Invalid.Code.EMPTY, "idempotency key", () -> PLAIN.key(""));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "idempotency key",
                () -> PLAIN.key(tooLong(Limit.NAME_BYTES)));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "idempotency key", () -> PLAIN.key("\0"));
    }
}
