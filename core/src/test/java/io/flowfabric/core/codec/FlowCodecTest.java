package io.flowfabric.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.flow.Consequence.Relieve;
import io.flowfabric.core.flow.Consequence.Resolve;
import io.flowfabric.core.flow.Consequence.Stop;
import io.flowfabric.core.flow.Consequence.Which;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.MemberTally;
import io.flowfabric.core.policy.QuotaUse;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Instant;
import java.util.List;
import java.util.Map;

class FlowCodecTest {
    private static final Instant NOON = Instant.parse("2026-11-18T12:00:00Z");
    private static final Attribution ADA = new Attribution("ada", "to see");

    static List<FlowRecord> flows() {
        var plain = FlowSubmission.of("plain");
        var rich =
                FlowSubmission.of(new Namespace("shop"), "rich")
                        .tag("team", "x")
                        .creator("ada")
                        .policy(
                                FlowPolicy.DEFAULT
                                        .onFailure(OnFailure.FAIL_FAST)
                                        .quota(QuotaUse.of("calls", "ann"))
                                        .budget("house", Map.of("tokens", 3L)))
                        .leftOpen();
        var running = FlowRecord.submitted(rich, rich.digest(), NOON);
        var tally = new MemberTally(1, 2, 3, 4, 5, 6);
        return List.of(
                FlowRecord.submitted(plain, plain.digest(), NOON),
                FlowRecord.submitted(plain, plain.digest(), NOON).ended(NOON.plusMillis(7)),
                running.extended(plain.digest(), 2, true),
                running.cancelled(new FlowCancellation(Mode.PENDING, ADA, NOON))
                        .going(
                                tally,
                                List.of(
                                        new Stop(Which.CANCEL_PENDING, 17),
                                        new Resolve(1, true, -1),
                                        new Resolve(2, false, 9),
                                        new Relieve(3, 4))));
    }

    @ParameterizedTest
    @MethodSource("flows")
    void a_flow_that_was_written_is_read_as_it_was(FlowRecord flow) {
        var fixed = Json.parseObject(FlowCodec.fixed(flow).toString());
        var changing = Json.parseObject(FlowCodec.changing(flow, JsonObject.EMPTY).toString());

        assertThat(FlowCodec.read(flow.id(), fixed, changing)).isEqualTo(flow);
    }

    @ParameterizedTest
    @MethodSource("flows")
    void what_a_newer_program_wrote_of_a_flow_stays(FlowRecord flow) {
        var newer = JsonObject.EMPTY.with("mood", Json.of("blue"));

        assertThat(FlowCodec.changing(flow, newer).get("mood")).contains(Json.of("blue"));
    }
}
