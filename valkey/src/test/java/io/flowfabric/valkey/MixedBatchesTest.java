package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.memory.MemoryFixture;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Batches in which plain work and work with something special stand side by side, in all orders:
 * {@code plain.lua} takes the one, and the general way the other, within one call. Everything that
 * can be seen is compared with the store in memory.
 */
class MixedBatchesTest {
    private static final int WORK = 60;
    private static final int ROUNDS = 6;
    private static final Attribution OLGA = new Attribution("olga", "because");
    private static final Duration LONG = Duration.ofDays(1);
    private static final Duration BRIEF = Duration.ofSeconds(3);

    /** What some work has that most has not. */
    private enum Special {
        DEADLINE(policy -> policy.deadline(Due.in(LONG))),
        NEAR_DEADLINE(policy -> policy.deadline(Due.in(BRIEF))),
        ATTEMPT_TIMEOUT(policy -> policy.attemptTimeout(LONG)),
        SHORT_ATTEMPT(policy -> policy.attemptTimeout(BRIEF)),
        STALL_TIMEOUT(policy -> policy.stallTimeout(LONG)),
        SHORT_STALL(policy -> policy.stallTimeout(BRIEF)),
        RETENTION(policy -> policy.retention(LONG)),
        SHARE(policy -> policy.share("customer")),
        START(policy -> policy.start(Due.in(BRIEF))),
        PRIORITY(policy -> policy.priority(7)),
        // From here on it waits behind another gate.
        QUOTA(policy -> policy.quota("few")),
        KEYED_QUOTA(policy -> policy.quota("few", "customer")),
        BUDGET(policy -> policy.budget("team", Map.of("tokens", 10L))),
        NEEDS(policy -> policy.needs(Capabilities.of("gpu")));

        final UnaryOperator<Policy> given;

        Special(UnaryOperator<Policy> given) {
            this.given = given;
        }
    }

    private final Session session =
            Session.of("worker", "instance", "default")
                    .offers(Capabilities.of("gpu"))
                    .ttl(Duration.ofHours(1));
    private final List<ExecutionId> ids = new ArrayList<>();
    private final List<Ending> ended = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"1,true", "2,true", "3,true", "4,true", "5,false", "6,false", "7,false", "8,false"})
    void plain_and_special_work_in_one_call_does_what_each_would_by_itself(
            long seed, boolean oneGate) {
        var random = new Random(seed);
        try (var memory = new MemoryFixture();
                var valkey = ValkeyFixture.onOneNode()) {
            var both = List.<StoreFixture>of(memory, valkey);
            both.forEach(MixedBatchesTest::define);
            both.forEach(it -> it.store().sessions().open(session));
            var work = work(random, oneGate);
            same(both, store -> told(store.submissions().submit(work)));
            work.stream()
                    .map(Submission::id)
                    .distinct()
                    .filter(it -> isKnown(memory, it))
                    .forEach(ids::add);
            for (int round = 1; round <= ROUNDS; round++) {
                var claim = new Claim(session.id(), round, 1 + random.nextInt(WORK));
                var leases = same(both, store -> store.claims().claim(claim).leases());
                long luck = random.nextLong();
                same(both, store -> told(store.leases().progress(progress(leases, luck))));
                same(both, store -> told(store.leases().checkpoint(steps(leases, luck))));
                var endings = endings(leases, random);
                same(both, store -> told(store.leases().end(endings)));
                compare(both);
                var time = Duration.ofMillis(random.nextInt(2000));
                both.forEach(it -> it.advance(time));
                same(both, store -> store.maintenance().tick(Chore.TIMERS, 1000));
                compare(both);
                ids.forEach(id -> same(both, store -> store.queries().history(id)));
            }
        }
    }

    private static boolean isKnown(StoreFixture fixture, ExecutionId id) {
        return fixture.store().queries().describe(List.of(id)).getFirst().isDone();
    }

    private static void define(StoreFixture fixture) {
        var store = fixture.store();
        store.quotas().define(Quota.atOnce("few", 4), OLGA);
        store.budgets().define(Budget.of("team", "tokens", 45), OLGA);
    }

    /** Plain and special work in turns of chance. */
    private List<Submission> work(Random random, boolean oneGate) {
        var specials =
                Arrays.stream(Special.values())
                        .filter(it -> !oneGate || it.compareTo(Special.QUOTA) < 0)
                        .toList();
        var works = new ArrayList<Submission>();
        for (int n = 0; n < WORK; n++) {
            var one = Submission.of("job", Payload.EMPTY);
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> {
                    // Plain.
                }
                case 3 -> one = one.key("k" + n / 2);
                case 4 -> one = submitted(one, random);
                default -> {
                    var special = specials.get(random.nextInt(specials.size()));
                    one = one.policy(special.given.apply(one.policy()));
                }
            }
            works.add(one);
        }
        // The same once more, and the same with other content.
        works.add(works.get(random.nextInt(WORK)));
        works.add(works.get(random.nextInt(WORK)).creator("another"));
        return works;
    }

    private static Submission submitted(Submission one, Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> one.tag("colour", "red");
            case 1 ->
                    new Submission(
                            one.id(),
                            one.lane(),
                            one.kind(),
                            Payload.of(new byte[600 + random.nextInt(6000)], "text/plain"),
                            "creator",
                            one.key(),
                            one.tags(),
                            one.policy());
            default ->
                    new Submission(
                            one.id(),
                            one.lane(),
                            one.kind(),
                            Payload.text("small"),
                            "creator",
                            one.key(),
                            one.tags(),
                            one.policy());
        };
    }

    private static List<Progress> progress(List<Lease> leases, long luck) {
        return some(leases, luck).map(it -> new Progress(it.fence(), 50, "half")).toList();
    }

    private static List<Checkpoint> steps(List<Lease> leases, long luck) {
        return some(leases, ~luck)
                .map(it -> new Checkpoint(it.fence(), "first", Payload.text("done")))
                .toList();
    }

    private static Stream<Lease> some(List<Lease> leases, long luck) {
        var random = new Random(luck);
        return leases.stream().filter(it -> random.nextInt(4) == 0);
    }

    /** An end for each lease but a few, others that come again, and some that come too late. */
    private List<Ending> endings(List<Lease> leases, Random random) {
        var endings = new ArrayList<Ending>();
        for (var lease : leases) {
            if (random.nextInt(10) > 0) {
                endings.add(ending(lease.fence(), random));
            }
        }
        for (int n = 0; n < 3 && !ended.isEmpty(); n++) {
            endings.add(ended.get(random.nextInt(ended.size())));
        }
        for (int n = 0; n < 3 && !endings.isEmpty(); n++) {
            var one = endings.get(random.nextInt(endings.size()));
            endings.add(random.nextBoolean() ? one : ending(one.fence(), random));
        }
        Collections.shuffle(endings, random);
        ended.addAll(endings);
        return endings;
    }

    private static Ending ending(Fence fence, Random random) {
        var failure = Failure.of(Failure.TRANSIENT, "no luck");
        return switch (random.nextInt(12)) {
            case 0 -> new Ending.Complete(fence, Payload.text("result"));
            case 1 -> new Ending.Fail(fence, failure, new RetryDecision.GiveUp());
            case 2 -> new Ending.Fail(fence, failure, new RetryDecision.TryAgain(Duration.ZERO));
            case 3 -> new Ending.Fail(fence, failure, new RetryDecision.TryAgain(BRIEF));
            case 4 -> new Ending.Cancel(fence, "not wanted");
            case 5 -> new Ending.Delay(fence, Due.in(BRIEF));
            case 6 -> new Ending.Release(fence);
            default -> new Ending.Complete(fence, Payload.EMPTY);
        };
    }

    private void compare(List<StoreFixture> both) {
        same(both, store -> told(store.queries().describe(ids)));
        same(both, store -> told(store.queries().results(ids)));
        same(both, store -> store.queries().counts(Namespace.DEFAULT));
    }

    /** What memory answers; the other one must answer the same. */
    private static <T> T same(List<StoreFixture> both, Function<Store, T> call) {
        var wanted = call.apply(both.getFirst().store());
        assertThat(call.apply(both.getLast().store())).isEqualTo(wanted);
        return wanted;
    }

    private static List<String> told(List<? extends Answer<?>> answers) {
        return answers.stream().map(MixedBatchesTest::told).toList();
    }

    private static String told(Answer<?> answer) {
        return switch (answer) {
            case Answer.Done<?>(var value) -> value.toString();
            case Answer.Refused<?>(var error) -> error.toString();
        };
    }
}
