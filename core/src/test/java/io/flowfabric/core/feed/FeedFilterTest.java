package io.flowfabric.core.feed;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OWNER;
import static io.flowfabric.core.feed.FeedFilter.Topic.COMPLETIONS;
import static io.flowfabric.core.feed.FeedFilter.Topic.EVERYTHING;
import static io.flowfabric.core.feed.FeedFilter.Topic.LEASES;
import static io.flowfabric.core.feed.FeedFilter.Topic.OPERATIONS;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Components;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Tags;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class FeedFilterTest {
    private static final Namespace SHOP = new Namespace("shop");
    private static final Lane LANE = new Lane(SHOP, "emails");
    private static final Optional<Attribution> ADA = Optional.of(new Attribution("ada", "because"));
    private static final Optional<Attribution> ENGINE = Optional.of(Attribution.engine("deadline"));
    private static final Optional<Attribution> NOBODY = Optional.empty();

    private static final Event SUBMITTED =
            step(Transition.SUBMIT, Situation.READY, Optional.empty(), NOBODY);
    private static final Event CLAIMED =
            step(Transition.CLAIM, Situation.RUNNING, Optional.of(OWNER), NOBODY);
    private static final Event COMPLETED =
            step(Transition.COMPLETE, Situation.COMPLETED, Optional.of(OWNER), NOBODY);
    private static final Event EXPIRED =
            step(Transition.EXPIRE, Situation.EXPIRED, Optional.empty(), ENGINE);
    private static final Event CANCELLED =
            step(Transition.CANCEL, Situation.CANCELLED, Optional.empty(), ADA);
    private static final Event REVOKED =
            step(Transition.REVOKE, Situation.READY, Optional.of(OWNER), ADA);
    private static final Event RECORDED = new Event.StepRecorded(ID, LANE, "pay", 0, 1, NOON);
    private static final Event RENEWED = new Event.Renewal(OWNER, SHOP, NOON, NOON.plusSeconds(30));
    private static final Event CONFIGURED =
            new Event.LaneChange(LANE, LaneSettings.DEFAULT, ADA.orElseThrow(), NOON);
    private static final Event MARKED_DEAD =
            new Event.MarkedDead(OWNER, SHOP, ADA.orElseThrow(), NOON);
    private static final Event ERASED = new Event.Erased(ID, LANE, ADA.orElseThrow(), NOON);

    private static final Event RECEIVED =
            new Event.SignalReceived(
                    ID, LANE, "boss", "approved", 1, Delivery.Effect.KEPT, ADA.orElseThrow(), NOON);
    private static final Event CLOSED =
            new Event.WaitpointClosed(ID, LANE, "boss", ADA.orElseThrow(), NOON);

    private static final Event FLOW_CANCELLED =
            new Event.FlowChange(
                    new FlowId(ID.partition(), ID.uuid()),
                    SHOP,
                    "publish",
                    Event.FlowStep.CANCELLED,
                    FlowState.RUNNING,
                    ADA,
                    NOON);

    private static final List<Event> ALL =
            List.of(
                    SUBMITTED,
                    CLAIMED,
                    RECORDED,
                    COMPLETED,
                    EXPIRED,
                    CANCELLED,
                    REVOKED,
                    RENEWED,
                    CONFIGURED,
                    MARKED_DEAD,
                    ERASED,
                    RECEIVED,
                    CLOSED,
                    FLOW_CANCELLED);

    @Test
    void a_log_names_it_by_its_topic_and_what_it_is_narrowed_to() {
        assertThat(FeedFilter.of(EVERYTHING)).hasToString("everything");
        assertThat(
                        FeedFilter.of(COMPLETIONS)
                                .namespace(SHOP)
                                .lane(LANE)
                                .tag("customer", "ada")
                                .partition(Partition.of(SHOP)))
                .hasToString(
                        "completions in namespace shop in lane shop/emails with customer=ada in 1"
                                + " of the partitions");
    }

    @Test
    void everything_is_everything() {
        assertThat(fitting(FeedFilter.of(EVERYTHING))).isEqualTo(ALL);
    }

    @Test
    void leases_are_steps_with_an_owner_and_renewals() {
        assertThat(fitting(FeedFilter.of(LEASES)))
                .containsExactly(CLAIMED, COMPLETED, REVOKED, RENEWED);
    }

    @Test
    void completions_are_steps_that_ended_an_execution() {
        assertThat(fitting(FeedFilter.of(COMPLETIONS)))
                .containsExactly(COMPLETED, EXPIRED, CANCELLED);
    }

    @Test
    void operations_are_what_somebody_other_than_the_engine_did_by_name() {
        assertThat(fitting(FeedFilter.of(OPERATIONS)))
                .containsExactly(
                        CANCELLED,
                        REVOKED,
                        CONFIGURED,
                        MARKED_DEAD,
                        ERASED,
                        CLOSED,
                        FLOW_CANCELLED);
    }

    @Test
    void signals_are_signals_that_were_received() {
        assertThat(fitting(FeedFilter.of(FeedFilter.Topic.SIGNALS))).containsExactly(RECEIVED);
    }

    @Test
    void what_happens_to_flows_is_a_topic_and_has_no_lane() {
        var flows = FeedFilter.of(FeedFilter.Topic.FLOWS);

        assertThat(fitting(flows)).containsExactly(FLOW_CANCELLED);
        assertThat(fitting(flows.lane(LANE))).isEmpty();
    }

    @Test
    void a_rotation_of_keys_is_an_operation_of_the_default_namespace() {
        var rotation =
                new Event.KeyRotation("0000000000a1", Duration.ZERO, ADA.orElseThrow(), NOON);
        var operations = FeedFilter.of(OPERATIONS);

        assertThat(operations.fits(rotation, Tags.NONE)).isTrue();
        assertThat(operations.namespace(Namespace.DEFAULT).fits(rotation, Tags.NONE)).isTrue();
        assertThat(operations.namespace(SHOP).fits(rotation, Tags.NONE)).isFalse();
        assertThat(operations.lane(LANE).fits(rotation, Tags.NONE)).isFalse();
        assertThat(FeedFilter.of(LEASES).fits(rotation, Tags.NONE)).isFalse();
        assertThat(FeedFilter.of(COMPLETIONS).fits(rotation, Tags.NONE)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void a_namespace_narrows_every_topic(FeedFilter.Topic topic) {
        var filter = FeedFilter.of(topic);

        assertThat(fitting(filter.namespace(SHOP))).isEqualTo(fitting(filter));
        assertThat(fitting(filter.namespace(Namespace.DEFAULT))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOWS")
    void a_lane_narrows_every_topic_and_nothing_about_a_session_or_a_flow_has_one(
            FeedFilter.Topic topic) {
        var filter = FeedFilter.of(topic);
        var withoutLane = List.of(RENEWED, MARKED_DEAD, FLOW_CANCELLED);
        var withLane =
                fitting(filter).stream().filter(event -> !withoutLane.contains(event)).toList();

        assertThat(fitting(filter.lane(LANE))).isNotEmpty().isEqualTo(withLane);
        assertThat(fitting(filter.lane(new Lane(SHOP, "letters")))).isEmpty();
        assertThat(fitting(filter.lane(Lane.of("emails")))).as("of another namespace").isEmpty();
    }

    @Test
    void all_wanted_tags_must_be_there_with_their_values() {
        var filter = FeedFilter.of(EVERYTHING).tag("customer", "ada").tag("shop.order", "7");
        var tags = Tags.NONE.with("customer", "ada").with("shop.order", "7");

        assertThat(filter.fits(CLAIMED, tags)).isTrue();
        assertThat(filter.fits(CLAIMED, tags.with("more", "x"))).isTrue();
        assertThat(filter.fits(CLAIMED, tags.with("customer", "bob"))).isFalse();
        assertThat(filter.fits(CLAIMED, Tags.NONE.with("customer", "ada"))).isFalse();
        assertThat(filter.fits(CLAIMED, Tags.NONE)).isFalse();
    }

    @Test
    void an_event_without_tags_fits_no_wanted_tag_not_even_an_empty_one() {
        var filter = FeedFilter.of(EVERYTHING).tag("customer", "");

        assertThat(ALL.stream().filter(event -> filter.fits(event, Tags.NONE))).isEmpty();
        assertThat(filter.fits(CLAIMED, Tags.NONE.with("customer", ""))).isTrue();
    }

    /** R39: an event has the partition of its execution or flow, or else that of its namespace. */
    @Test
    void every_event_is_in_exactly_one_partition() {
        var filter = FeedFilter.of(EVERYTHING);
        var ofSessionsAndLanes = List.of(RENEWED, CONFIGURED, MARKED_DEAD);
        var ofWork = ALL.stream().filter(e -> !ofSessionsAndLanes.contains(e)).toList();
        var there = Partition.of(SHOP);

        assertThat(there).isNotEqualTo(ID.partition());
        assertThat(fitting(filter.partition(ID.partition()))).isEqualTo(ofWork);
        assertThat(fitting(filter.partition(there))).isEqualTo(ofSessionsAndLanes);
        assertThat(fitting(filter.partition(there).partition(ID.partition()))).isEqualTo(ALL);
        for (int i = 0; i < Partition.COUNT; i++) {
            var other = new Partition(i);
            if (!List.of(there, ID.partition()).contains(other)) {
                assertThat(fitting(filter.partition(other))).isEmpty();
            }
        }
    }

    @Test
    void every_condition_must_hold() {
        var tags = Tags.NONE.with("customer", "ada");
        var filter = FeedFilter.of(COMPLETIONS).namespace(SHOP).lane(LANE).tag("customer", "ada");

        assertThat(filter.fits(COMPLETED, tags)).isTrue();
        assertThat(filter.fits(CLAIMED, tags)).isFalse();
        assertThat(filter.namespace(Namespace.DEFAULT).fits(COMPLETED, tags)).isFalse();
        assertThat(filter.lane(Lane.DEFAULT).fits(COMPLETED, tags)).isFalse();
        assertThat(filter.tag("more", "x").fits(COMPLETED, tags)).isFalse();
        assertThat(filter.partition(Partition.of(SHOP)).fits(COMPLETED, tags)).isFalse();
    }

    @Test
    void a_change_changes_its_own_field_and_no_other() {
        var full =
                FeedFilter.of(LEASES)
                        .namespace(SHOP)
                        .lane(LANE)
                        .tag("a", "1")
                        .partition(ID.partition());

        assertThat(Components.changed(full, full.namespace(Namespace.DEFAULT)))
                .containsExactly("namespace");
        assertThat(Components.changed(full, full.lane(Lane.DEFAULT))).containsExactly("lane");
        assertThat(Components.changed(full, full.tag("b", "2"))).containsExactly("tags");
        assertThat(Components.changed(full, full.partition(new Partition(7))))
                .containsExactly("partitions");
        assertThat(full.tag("b", "2").tags().values().keySet()).isEqualTo(Set.of("a", "b"));
    }

    private static List<Event> fitting(FeedFilter filter) {
        return ALL.stream().filter(event -> filter.fits(event, Tags.NONE)).toList();
    }

    private static Event.Step step(
            Transition transition, Situation now, Optional<Owner> owner, Optional<Attribution> by) {
        return new Event.Step(
                ID,
                LANE,
                transition,
                now,
                NOON,
                1,
                1,
                owner,
                by,
                Optional.empty(),
                Optional.empty());
    }
}
