package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.KeyView;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rules 12 and 13 again, for many at once. */
abstract class GrantRacingRules extends Rules {
    private static final int THREADS = 8;
    private static final int ROUNDS = 15;
    private static final Policy MAIL = Policy.DEFAULT.quota("mail");

    GrantRacingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void one_ticket_shown_by_many_at_once_is_one_lease() {
        world.store().keys().first();
        for (int round = 0; round < ROUNDS; round++) {
            world.submit();
            var worker = world.worker();
            var grant = worker.grantedOne();

            var answers = Crowd.of(THREADS, i -> worker.redeem(10 + i, grant));

            assertThat(answers).filteredOn(Answer::isDone).hasSize(1);
            assertThat(world.transitions(grant.execution()))
                    .containsExactly(Transition.SUBMIT, Transition.GRANT, Transition.REDEEM);
        }
    }

    @Test
    void one_redemption_repeated_by_many_is_one_redemption() {
        world.store().keys().first();
        for (int round = 0; round < ROUNDS; round++) {
            world.submit();
            var worker = world.worker();
            var grant = worker.grantedOne();

            var answers = Crowd.of(THREADS, i -> worker.redeem(9, grant).orThrow());

            assertThat(new HashSet<Lease>(answers)).hasSize(1);
        }
    }

    @Test
    void many_are_granted_every_execution_once() {
        world.store().keys().first();
        var works = world.submit(200, Given::work);
        var workers = Stream.generate(world::worker).limit(THREADS).toList();

        var granted = Crowd.of(THREADS, i -> drain(workers.get(i)));

        assertThat(granted.stream().flatMap(List::stream).map(Given::idOf))
                .containsExactlyInAnyOrderElementsOf(works);
    }

    @Test
    void a_ticket_that_is_redeemed_while_it_is_withdrawn_is_one_or_the_other() {
        world.store().keys().first();
        world.store().quotas().define(Quota.atOnce("mail", THREADS), Scenario.OLGA);
        for (int round = 0; round < ROUNDS; round++) {
            var id = world.submit(work(MAIL));
            var worker = world.worker();
            var grant = worker.grantedOne();

            var answers =
                    Crowd.of(
                            2,
                            i ->
                                    i == 0
                                            ? worker.redeem(grant).isDone()
                                            : world.act(new OperatorCommand.Cancel(id)).isDone());

            assertThat(answers.get(1)).as("what is cancelled").isTrue();
            assertThat(world.view(id).state().terminal()).isTrue();
            assertThat(world.transitions(id).contains(Transition.REDEEM))
                    .as("that it was redeemed first")
                    .isEqualTo(answers.getFirst());
            assertThat(running()).isZero();
        }
        assertThat(world.store().quotas().recount(Namespace.DEFAULT).drifts()).isEmpty();
    }

    @Test
    void many_rotations_at_once_leave_one_key_that_signs() {
        var keys = world.store().keys();
        for (int round = 0; round < ROUNDS; round++) {
            var made =
                    Crowd.of(
                            THREADS,
                            i ->
                                    i == 0
                                            ? keys.first()
                                            : keys.rotate(
                                                    Rotation.after(Duration.ofDays(1)),
                                                    Scenario.OLGA));

            assertThat(keys.list()).filteredOn(key -> key.retires().isEmpty()).hasSize(1);
            assertThat(keys.list())
                    .extracting(KeyView::id)
                    .containsAll(made.stream().map(KeyView::id).toList());
        }
    }

    private static List<Lease> drain(ScenarioWorker worker) {
        return Stream.generate(() -> worker.granted(7, Grants.DEFAULT_TTL))
                .takeWhile(grants -> !grants.isEmpty())
                .flatMap(List::stream)
                .map((Grant grant) -> worker.redeem(grant).orThrow())
                .toList();
    }

    private int running() {
        return world.store().quotas().describe(Namespace.DEFAULT, QuotaUse.of("mail")).running();
    }
}
