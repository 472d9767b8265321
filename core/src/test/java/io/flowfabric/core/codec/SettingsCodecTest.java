package io.flowfabric.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class SettingsCodecTest {
    private static final Namespace SHOP = new Namespace("shop");
    private static final LaneSettings LANE =
            LaneSettings.DEFAULT
                    .state(LaneSettings.State.PAUSED)
                    .weight(3)
                    .ageing(Duration.ofSeconds(1))
                    .quota("calls")
                    .budget("team", Map.of("tokens", 5L));
    private static final Budget BUDGET =
            Budget.of("team", "tokens", 100)
                    .namespace(SHOP)
                    .bounds("cents", Bounds.hard(9).soft(5))
                    .bounds("calls", new Bounds(Optional.empty(), Optional.empty()))
                    .period(Duration.ofDays(1))
                    .enforcement(Enforcement.CANCEL)
                    .parent("company");

    /** Fields of a program that is newer than this one. */
    private static final JsonObject NEWER =
            Json.parseObject("{\"colour\":\"red\",\"weight\":9,\"deep\":{\"a\":[1.50,null]}}");

    @Test
    void lanes_are_written_as_recorded_and_read_back() {
        var text =
                "{\"state\":\"paused\",\"weight\":3,\"ageing_ms\":1000,\"quotas\":[\"calls\"],"
                        + "\"budgets\":[{\"budget\":\"team\",\"reserve\":{\"tokens\":5}}]}";

        assertThat(SettingsCodec.write(LANE, JsonObject.EMPTY)).hasToString(text);
        assertThat(SettingsCodec.lane(Json.parseObject(text))).isEqualTo(LANE);
        for (var lane : List.of(LaneSettings.DEFAULT, LaneSettings.DEFAULT.sharing(true))) {
            assertThat(SettingsCodec.lane(SettingsCodec.write(lane, JsonObject.EMPTY)))
                    .isEqualTo(lane);
        }
    }

    @Test
    void what_has_its_default_is_not_written() {
        assertThat(SettingsCodec.write(LaneSettings.DEFAULT, JsonObject.EMPTY)).hasToString("{}");
        assertThat(SettingsCodec.write(NamespaceSettings.DEFAULT, JsonObject.EMPTY))
                .hasToString("{}");
        assertThat(SettingsCodec.lane(JsonObject.EMPTY)).isEqualTo(LaneSettings.DEFAULT);
        assertThat(SettingsCodec.namespace(JsonObject.EMPTY)).isEqualTo(NamespaceSettings.DEFAULT);
    }

    @Test
    void a_change_keeps_what_this_program_does_not_know() {
        var changed = SettingsCodec.write(LANE.weight(4), NEWER);
        var back = SettingsCodec.write(LaneSettings.DEFAULT, changed);

        assertThat(SettingsCodec.lane(changed)).isEqualTo(LANE.weight(4));
        assertThat(changed.toString())
                .contains("\"colour\":\"red\"", "\"deep\":{\"a\":[1.50,null]}", "\"weight\":4");
        assertThat(back).isEqualTo(NEWER.without("weight"));
        for (var json :
                List.of(
                        SettingsCodec.write(NamespaceSettings.DEFAULT, NEWER),
                        SettingsCodec.write(Quota.atOnce("calls", 3), NEWER),
                        SettingsCodec.write(BUDGET, NEWER))) {
            assertThat(json.fields()).containsAllEntriesOf(NEWER.fields());
        }
    }

    @Test
    void a_change_keeps_what_this_program_does_not_know_of_a_budget_that_a_lane_names() {
        var stored =
                Json.parseObject(
                        "{\"budgets\":[{\"budget\":\"shop\",\"burst\":2},"
                                + "{\"budget\":\"team\",\"reserve\":{\"tokens\":5},"
                                + "\"burst\":{\"of\":[1]}}]}");

        assertThat(SettingsCodec.write(LaneSettings.DEFAULT.budget("new").budget("team"), stored))
                .hasToString(
                        "{\"budgets\":[{\"budget\":\"new\"},"
                                + "{\"budget\":\"team\",\"burst\":{\"of\":[1]}}]}");
    }

    @Test
    void a_change_keeps_what_this_program_does_not_know_of_a_rate() {
        var stored = Json.parseObject("{\"rate\":{\"max\":5,\"window_ms\":1000,\"burst\":2}}");
        var quota = Quota.atOnce("calls", 3);

        assertThat(SettingsCodec.write(quota.rate(6, Duration.ofSeconds(2)), stored))
                .hasToString(
                        "{\"rate\":{\"max\":6,\"window_ms\":2000,\"burst\":2},\"concurrency\":3}");
        assertThat(SettingsCodec.write(quota, stored)).hasToString("{\"concurrency\":3}");
    }

    @Test
    void a_change_keeps_what_this_program_does_not_know_of_a_dimension() {
        var stored =
                Json.parseObject(
                        "{\"dimensions\":{\"cents\":{\"hard\":9},"
                                + "\"tokens\":{\"soft\":5,\"hard\":9,\"unit\":\"k\"}}}");

        assertThat(SettingsCodec.write(Budget.of("team", "tokens", 100), stored))
                .hasToString("{\"dimensions\":{\"tokens\":{\"hard\":100,\"unit\":\"k\"}}}");
    }

    @Test
    void what_was_written_in_another_form_is_replaced() {
        var stored = Json.parseObject("{\"budgets\":[\"team\",{\"all\":1}],\"rate\":\"slow\"}");
        var rate = Quota.atOnce("calls", 3).rate(6, Duration.ofSeconds(2));

        assertThat(SettingsCodec.write(LANE, stored).get("budgets"))
                .isEqualTo(SettingsCodec.write(LANE, JsonObject.EMPTY).get("budgets"));
        assertThat(SettingsCodec.write(rate, stored).get("rate"))
                .isEqualTo(SettingsCodec.write(rate, JsonObject.EMPTY).get("rate"));
    }

    @Test
    void namespaces_are_written_as_recorded_and_read_back() {
        var settings = NamespaceSettings.DEFAULT.retention(Duration.ofHours(1));

        assertThat(SettingsCodec.write(settings, JsonObject.EMPTY))
                .hasToString("{\"retention_ms\":3600000}");
        assertThat(SettingsCodec.namespace(Json.parseObject("{\"retention_ms\":3600000}")))
                .isEqualTo(settings);
    }

    @Test
    void quotas_are_written_as_recorded_and_read_back() {
        var quota = Quota.atOnce("calls", 3).rate(5, Duration.ofSeconds(1)).namespace(SHOP);
        var text = "{\"concurrency\":3,\"rate\":{\"max\":5,\"window_ms\":1000}}";

        assertThat(SettingsCodec.write(quota, JsonObject.EMPTY)).hasToString(text);
        assertThat(SettingsCodec.quota(SHOP, "calls", Json.parseObject(text))).isEqualTo(quota);
        assertThat(SettingsCodec.write(Quota.atOnce("calls", 3), SettingsCodec.write(quota, NEWER)))
                .isEqualTo(NEWER.with("concurrency", Json.of(3)));
    }

    @Test
    void budgets_are_written_as_recorded_and_read_back() {
        var text =
                "{\"dimensions\":{\"calls\":{},\"cents\":{\"soft\":5,\"hard\":9},"
                        + "\"tokens\":{\"hard\":100}},\"period_ms\":86400000,"
                        + "\"enforcement\":\"cancel\",\"parent\":\"company\"}";

        assertThat(SettingsCodec.write(BUDGET, JsonObject.EMPTY)).hasToString(text);
        assertThat(SettingsCodec.budget(SHOP, "team", Json.parseObject(text))).isEqualTo(BUDGET);
        var plain = Budget.of("team", "tokens", 100);
        assertThat(
                        SettingsCodec.budget(
                                Namespace.DEFAULT,
                                "team",
                                SettingsCodec.write(plain, JsonObject.EMPTY)))
                .isEqualTo(plain);
    }

    @Test
    void a_word_that_this_program_does_not_know_is_not_passed_over() {
        assertThatThrownBy(() -> SettingsCodec.lane(Json.parseObject("{\"state\":\"melted\"}")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
