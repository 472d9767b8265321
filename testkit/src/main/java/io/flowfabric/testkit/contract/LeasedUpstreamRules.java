package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What a lease brings of the members that its execution comes after. */
abstract class LeasedUpstreamRules extends Rules {
    LeasedUpstreamRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private static Upstream done(String name, Payload result) {
        return new Upstream(name, Optional.of(Outcome.SUCCESS), Optional.of(result));
    }

    private FlowPlay joined() {
        return FlowPlay.of(
                world,
                FlowSubmission.of("joined")
                        .member("left", work())
                        .member("right", work())
                        .member("end", work(), "left", "right"));
    }

    @Test
    void the_lease_of_a_member_brings_what_those_before_it_produced() {
        var flow = joined();
        var first = flow.worker().claim(2);
        assertThat(first).extracting(Lease::upstreams).allMatch(before -> before.isEmpty());
        first.forEach(lease -> world.end(Endings.release(lease)).orThrow());
        flow.complete("right", Payload.text("made by right"));
        flow.complete("left", Payload.EMPTY);

        var lease = flow.worker().claimOne();
        assertThat(idOf(lease)).isEqualTo(flow.execution("end"));
        assertThat(lease.upstreamsApart()).isFalse();
        assertThat(lease.upstreams())
                .containsExactly(
                        done("left", Payload.EMPTY), done("right", Payload.text("made by right")));
        assertThat(lease.allUpstreams(world.store().flows())).isEqualTo(lease.upstreams());
    }

    @Test
    void each_of_many_members_gets_its_own_upstreams_and_other_work_none() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("two")
                                .member("a", work())
                                .member("b", work())
                                .member("after a", work(), "a")
                                .member("after b", work(), "b"));
        flow.complete("a", Payload.text("of a"));
        flow.complete("b", Payload.text("of b"));
        var solo = world.submit(work());

        var before = flow.worker().claim(3).stream().collect(toMap(Given::idOf, Lease::upstreams));
        assertThat(before)
                .isEqualTo(
                        Map.of(
                                flow.execution("after a"),
                                List.of(done("a", Payload.text("of a"))),
                                flow.execution("after b"),
                                List.of(done("b", Payload.text("of b"))),
                                solo,
                                List.of()));
    }

    @Test
    void an_upstream_that_did_not_succeed_brings_how_it_ended_if_it_did() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("any")
                                .member("failed", work())
                                .member("done", work())
                                .member("slow", work())
                                .member(
                                        "end",
                                        work(),
                                        Join.anyOf().letRun(),
                                        "failed",
                                        "done",
                                        "slow"));
        flow.fail("failed");
        flow.complete("done", Payload.text("enough"));

        assertThat(flow.begin("end").upstreams())
                .containsExactly(
                        new Upstream("failed", Optional.of(Outcome.FAILED), Optional.empty()),
                        done("done", Payload.text("enough")),
                        new Upstream("slow", Optional.empty(), Optional.empty()));
    }

    @Test
    void results_that_are_large_together_are_apart_and_can_be_read() {
        var flow = joined();
        var large = Payload.of(new byte[Lease.UPSTREAMS_BYTES / 2 - 512], "x/y");
        var larger = Payload.of(new byte[Lease.UPSTREAMS_BYTES / 2 + 256], "x/y");
        flow.complete("left", large);
        flow.complete("right", larger);

        var lease = flow.worker().claimOne();
        assertThat(lease.upstreamsApart()).isFalse();
        assertThat(lease.upstreams()).containsExactly(done("left", large), done("right", larger));

        var other = joined();
        other.complete("left", larger);
        other.complete("right", larger);
        var apart = other.worker().claimOne();
        assertThat(apart.upstreamsApart()).isTrue();
        assertThat(apart.upstreams()).isEmpty();
        assertThat(apart.allUpstreams(world.store().flows()))
                .containsExactly(done("left", larger), done("right", larger));
    }

    @Test
    void more_upstreams_than_a_lease_takes_are_apart_and_can_be_read() {
        var names =
                IntStream.rangeClosed(0, Lease.UPSTREAMS)
                        .mapToObj("m%d"::formatted)
                        .toArray(String[]::new);
        var submission = FlowSubmission.of("many");
        for (var name : names) {
            submission = submission.member(name, work());
        }
        var flow = FlowPlay.of(world, submission.member("end", work(), names));
        flow.complete(names);

        var lease = flow.worker().claimOne();
        assertThat(idOf(lease)).isEqualTo(flow.execution("end"));
        assertThat(lease.upstreamsApart()).isTrue();
        assertThat(lease.allUpstreams(world.store().flows())).hasSize(names.length);
    }

    @Test
    void a_repeated_claim_a_redeemed_grant_and_a_claim_by_hand_bring_them_too() {
        world.store().keys().first();
        var flow = joined();
        flow.complete("left", Payload.text("1"));
        flow.complete("right", Payload.text("2"));
        var before =
                new Upstream[] {done("left", Payload.text("1")), done("right", Payload.text("2"))};
        var worker = world.worker();

        var lease = worker.claimOne();
        assertThat(lease.upstreams()).containsExactly(before);
        assertThat(worker.repeatClaim(1)).containsExactly(lease);
        world.end(Endings.release(lease)).orThrow();

        var redeemed = worker.redeem(worker.grantedOne()).orThrow();
        assertThat(redeemed.upstreams()).containsExactly(before);
        world.end(Endings.release(redeemed)).orThrow();

        assertThat(flow.begin("end").upstreams()).containsExactly(before);
        assertThat(flow.begin("end").upstreams()).as("asked for again").containsExactly(before);
    }
}
