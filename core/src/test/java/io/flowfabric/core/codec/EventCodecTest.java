package io.flowfabric.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class EventCodecTest {
    private static final Namespace SHOP = new Namespace("shop");
    private static final Lane LANE = new Lane(SHOP, "mail");
    private static final Instant AT = Instant.ofEpochMilli(1234);
    private static final Attribution ADA = new Attribution("ada", "to see \"it\"");
    private static final ExecutionId EXECUTION =
            ExecutionId.parse("{fp:7}:00000000-0000-0000-0000-000000000007");
    private static final FlowId FLOW = FlowId.of(EXECUTION.uuid());
    private static final Owner OWNER =
            new Owner(
                    SessionId.parse("00000000-0000-0000-0000-000000000001"), "worker", "instance");

    static List<Event> events() {
        return List.of(
                new Event.Step(
                        EXECUTION,
                        LANE,
                        Transition.SUBMIT,
                        Situation.READY,
                        AT,
                        0,
                        0,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()),
                new Event.Step(
                        EXECUTION,
                        LANE,
                        Transition.RETRY,
                        Situation.BACKING_OFF,
                        AT,
                        3,
                        4,
                        Optional.of(OWNER),
                        Optional.of(ADA),
                        Optional.of(AT.plusMillis(1)),
                        Optional.of(new Failure("transient", "it rained", "cats\nand dogs"))),
                new Event.Renewal(OWNER, SHOP, AT, AT.plusMillis(30)),
                new Event.MarkedDead(OWNER, SHOP, ADA, AT),
                new Event.Erased(EXECUTION, LANE, ADA, AT),
                new Event.LaneChange(LANE, LaneSettings.DEFAULT, ADA, AT),
                new Event.LaneChange(
                        LANE,
                        LaneSettings.DEFAULT
                                .state(LaneSettings.State.PAUSED)
                                .weight(7)
                                .ageing(Duration.ofMinutes(1))
                                .quota("a")
                                .quota("b")
                                .budget("c")
                                .budget("d", Map.of("tokens", 5L, "cents", 1_000_000_000_000L)),
                        ADA,
                        AT),
                new Event.LaneChange(LANE, LaneSettings.DEFAULT.sharing(true), ADA, AT),
                new Event.NamespaceChange(
                        SHOP, NamespaceSettings.DEFAULT.retention(Duration.ZERO), ADA, AT),
                new Event.QuotaChange(SHOP, "q", Optional.empty(), ADA, AT),
                new Event.QuotaChange(
                        SHOP, "q", Optional.of(Quota.atOnce("q", 3).namespace(SHOP)), ADA, AT),
                new Event.QuotaChange(
                        SHOP,
                        "q",
                        Optional.of(
                                Quota.rate("q", 3, Duration.ofSeconds(1))
                                        .concurrency(0)
                                        .namespace(SHOP)),
                        ADA,
                        AT),
                new Event.BudgetChange(SHOP, "b", "reset", ADA, AT),
                new Event.BudgetReached(SHOP, "b", "tokens", true, 77, AT),
                new Event.Drifted(SHOP, "quota customer=42", 3, -1, AT),
                new Event.KeyRotation("0000000000a1", Duration.ofSeconds(30), ADA, AT),
                new Event.StepRecorded(EXECUTION, LANE, "pay", 2, 77, AT),
                new Event.SignalReceived(
                        EXECUTION, LANE, "boss", "approved", 7, Delivery.Effect.RESUMED, ADA, AT),
                new Event.WaitpointClosed(EXECUTION, LANE, "boss", ADA, AT),
                new Event.FlowChange(
                        FLOW,
                        SHOP,
                        "publish",
                        Event.FlowStep.CANCELLED,
                        FlowState.RUNNING,
                        Optional.of(ADA),
                        AT),
                new Event.FlowChange(
                        FLOW,
                        SHOP,
                        "publish",
                        Event.FlowStep.ENDED,
                        FlowState.SKIPPED,
                        Optional.empty(),
                        AT),
                new Event.ScheduleChange(SHOP, "nightly", "pause", ADA, AT));
    }

    @ParameterizedTest
    @MethodSource("events")
    void an_event_that_was_written_is_read_as_it_was(Event event) {
        var text = EventCodec.write(event).toString();

        assertThat(EventCodec.read(Json.parseObject(text))).contains(event);
    }

    @ParameterizedTest
    @MethodSource("events")
    void what_a_newer_program_adds_is_no_hindrance(Event event) {
        var newer =
                EventCodec.write(event)
                        .with("mood", Json.parse("{\"deep\":[1]}"))
                        .with("settings", EventCodec.write(event).get("settings"), this::newer);

        assertThat(EventCodec.read(newer)).contains(event);
    }

    private Json newer(Json settings) {
        return settings.asObject().with("colour", Json.of("red"));
    }

    @ParameterizedTest
    @MethodSource("events")
    void the_details_are_a_part_of_the_whole(Event event) {
        var whole = EventCodec.write(event);

        assertThat(whole.withAll(EventCodec.details(event))).isEqualTo(whole);
        assertThat(EventCodec.details(event).fields().keySet())
                .doesNotContain(
                        "kind",
                        "at",
                        "namespace",
                        "lane",
                        "execution",
                        "session",
                        "actor",
                        "reason");
    }

    @ParameterizedTest
    @EnumSource
    void every_kind_has_a_name_a_type_and_an_example(EventKind kind) {
        assertThat(EventKind.named(kind.wire())).contains(kind);
        assertThat(events())
                .filteredOn(event -> EventKind.of(event) == kind)
                .isNotEmpty()
                .allMatch(kind.type()::isInstance);
    }

    @Test
    void a_kind_of_a_newer_program_is_no_event_of_ours() {
        var newer = EventCodec.write(events().getFirst()).with("kind", Json.of("sang"));

        assertThat(EventCodec.read(newer)).isEmpty();
        assertThat(EventKind.named("sang")).isEmpty();
        assertThat(EventKind.named("STEP")).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventCodec.read(newer.without("kind")));
    }

    // Written down: what is stored outlives the program that stored it.
    @Test
    void events_are_written_like_this() {
        var texts = events().stream().map(event -> EventCodec.write(event).toString()).toList();

        assertThat(texts.get(1))
                .isEqualTo(
                        """
                        {"kind":"step","at":1234,"namespace":"shop",\
                        "session":"00000000-0000-0000-0000-000000000001","worker":"worker",\
                        "instance":"instance","actor":"ada","reason":"to see \\"it\\"",\
                        "lane":"mail","execution":"{fp:7}:00000000-0000-0000-0000-000000000007",\
                        "transition":"retry","situation":"backing_off","attempts":3,"epoch":4,\
                        "until":1235,"failure":{"category":"transient","message":"it rained",\
                        "detail":"cats\\nand dogs"}}\
                        """);
        assertThat(texts.get(6))
                .isEqualTo(
                        """
                        {"kind":"lane_changed","at":1234,"namespace":"shop","actor":"ada",\
                        "reason":"to see \\"it\\"","lane":"mail","settings":{"state":"paused",\
                        "weight":7,"ageing_ms":60000,"quotas":["a","b"],"budgets":[{"budget":"c"},\
                        {"budget":"d","reserve":{"cents":1000000000000,"tokens":5}}]}}\
                        """);
        assertThat(texts.get(11))
                .contains(
                        "\"quota\":\"q\",\"settings\":{\"concurrency\":0,\"rate\":{\"max\":3,\"window_ms\":1000}}");
        assertThat(texts.get(13))
                .endsWith("\"budget\":\"b\",\"dimension\":\"tokens\",\"hard\":true,\"used\":77}");
        assertThat(texts.get(15)).endsWith("\"key\":\"0000000000a1\",\"grace_ms\":30000}");
        assertThat(texts.get(16))
                .isEqualTo(
                        """
                        {"kind":"step_recorded","at":1234,"namespace":"shop","lane":"mail",\
                        "execution":"{fp:7}:00000000-0000-0000-0000-000000000007","step":"pay",\
                        "attempt":2,"epoch":77}\
                        """);
    }

    @Test
    void a_setting_that_is_missing_has_its_default() {
        var nothing = Json.JsonObject.EMPTY;

        assertThat(SettingsCodec.lane(nothing)).isEqualTo(LaneSettings.DEFAULT);
        assertThat(SettingsCodec.namespace(nothing)).isEqualTo(NamespaceSettings.DEFAULT);
        assertThat(SettingsCodec.quota(SHOP, "q", Json.parseObject("{\"concurrency\":1}")))
                .isEqualTo(Quota.atOnce("q", 1).namespace(SHOP));
    }

    @Test
    void settings_that_are_changed_keep_what_a_newer_program_put_there() {
        var newer = Json.parseObject("{\"colour\":\"red\",\"weight\":3,\"ageing_ms\":5}");

        assertThat(SettingsCodec.write(LaneSettings.DEFAULT, newer))
                .hasToString("{\"colour\":\"red\"}");
    }
}
