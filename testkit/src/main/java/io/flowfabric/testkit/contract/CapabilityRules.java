package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rule 8: attributes and versions; work goes to those who have what it needs, and only to them. */
abstract class CapabilityRules extends Rules {
    private static final int WORKERS = 4;
    private static final int SUBMITTERS = 4;
    private static final int EACH = 25;

    CapabilityRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void an_attribute_is_met_by_exactly_the_same_one() {
        var european = needs("region=eu");

        assertThat(offering("region").take(1)).isEmpty();
        assertThat(offering("region=us").take(1)).isEmpty();
        assertThat(offering("region=eu-west").take(1)).isEmpty();
        assertThat(offering("region=eu").take(1)).containsExactly(european);
    }

    @Test
    void an_attribute_has_as_many_values_as_are_offered() {
        var european = needs("region=eu");
        var american = needs("region=us");
        var both = needs("region=eu", "region=us");

        assertThat(offering("region=us").take(5)).containsExactly(american);
        assertThat(offering("region=eu", "region=us").take(5)).containsExactly(european, both);
    }

    @Test
    void a_version_is_at_least_more_at_most_or_less_than_another() {
        var atLeast = needs("torch>=2.3");
        var more = needs("torch>2.3");
        var atMost = needs("torch<=2.3");
        var less = needs("torch<2.3");

        assertThat(seenBy("torch=2.2.9")).containsExactlyInAnyOrder(atMost, less);
        assertThat(seenBy("torch=2.3.0-rc1")).containsExactlyInAnyOrder(atMost, less);
        assertThat(seenBy("torch=2.3.0+cpu")).containsExactlyInAnyOrder(atLeast, atMost);
        assertThat(seenBy("torch=2.3.0.1")).containsExactlyInAnyOrder(atLeast, more);
        assertThat(seenBy("torch=2.10")).containsExactlyInAnyOrder(atLeast, more);
        assertThat(seenBy("torch=" + "9".repeat(100))).containsExactlyInAnyOrder(atLeast, more);
    }

    @Test
    void what_is_no_version_is_in_no_order() {
        needs("torch>=0");

        assertThat(offering("torch=nightly").take(1)).isEmpty();
        assertThat(offering("torch").take(1)).isEmpty();
        assertThat(offering("pytorch=2.3").take(1)).isEmpty();
    }

    @Test
    void one_value_must_meet_all_the_bounds_of_its_key() {
        var second = needs("torch>=2", "torch<3");

        assertThat(offering("torch=1.9", "torch=3.1").take(1)).isEmpty();
        assertThat(offering("torch=1.9", "torch=2.5", "torch=3.1").take(1)).containsExactly(second);
    }

    @Test
    void a_version_is_needed_beside_other_things() {
        var both = needs("gpu", "torch>=2.3");

        assertThat(offering("torch=2.4").take(1)).isEmpty();
        assertThat(offering("gpu").take(1)).isEmpty();
        assertThat(offering("gpu", "torch=2.2").take(1)).isEmpty();
        assertThat(offering("gpu", "torch=2.4").take(1)).containsExactly(both);
    }

    @Test
    void the_kind_counts_whatever_is_offered() {
        var policy = Policy.DEFAULT.needs(Capabilities.of("torch>=2.3"));
        world.submit(Submission.of("paint", Payload.EMPTY).policy(policy));
        var print = world.submit(Submission.of("print", Payload.EMPTY).policy(policy));

        var printer =
                world.worker(
                        world.session(Lane.DEFAULT)
                                .kinds("print")
                                .offers(Capabilities.of("torch=2.4")));

        assertThat(printer.take(5)).containsExactly(print);
    }

    @Test
    void a_need_that_comes_up_later_is_seen_by_those_who_have_looked_before() {
        var able = offering("torch=2.4");
        var unable = offering("torch=2.2");
        for (int minor = 0; minor < 5; minor++) {
            assertThat(able.take(5)).isEmpty();
            assertThat(unable.take(5)).isEmpty();

            var work = needs("torch>=2.3." + minor);

            assertThat(unable.take(5)).isEmpty();
            assertThat(able.take(5)).containsExactly(work);
        }
    }

    @Test
    void what_needs_a_version_keeps_its_place() {
        var plain = world.submit(Policy.DEFAULT.priority(5));
        var last = needs(0, "torch>=2.1");
        var first = needs(9, "torch>=2.2");
        var unfit = needs(9000, "torch>=9");

        var worker = offering("torch=2.4");

        assertThat(worker.take(1)).containsExactly(first);
        assertThat(worker.take(5)).containsExactly(plain, last);
        assertThat(offering("torch=9").take(5)).containsExactly(unfit);
    }

    @Test
    void needs_of_many_kinds_are_not_in_each_others_way() {
        var works = IntStream.range(0, 300).mapToObj(i -> needs("v>=1." + i)).toList();

        assertThat(offering("v=1.9").take(256)).isEqualTo(works.subList(0, 10));
        assertThat(offering("v=1.99").take(256)).isEqualTo(works.subList(10, 100));
        assertThat(offering("v=2").take(256)).isEqualTo(works.subList(100, 300));
    }

    @Test
    void the_version_that_work_needs_holds_for_every_lease_of_it() {
        var work = needs("torch>=2.3");
        world.end(release(offering("torch=2.4").claimOne())).orThrow();

        assertThat(offering("torch=2.2").take(1)).isEmpty();
        assertThat(offering("torch=2.3").take(1)).containsExactly(work);
    }

    @Test
    void a_claim_of_what_needs_a_version_can_be_repeated() {
        needs("torch>=2.3");
        needs("torch>=2.4");
        var worker = offering("torch=2.4");

        var leases = worker.claim(5);

        assertThat(leases).hasSize(2);
        assertThat(worker.repeatClaim(5)).isEqualTo(leases);
    }

    @Test
    void what_is_needed_and_offered_reads_as_it_was_written() {
        var words = Capabilities.of("gpu", "région=eu", "torch<3", "torch>=2.3.0-rc1+x");
        var offers = Capabilities.of("gpu", "région=eu", "torch=nightly");
        var work = world.submit(Policy.DEFAULT.needs(words));
        var worker = world.worker(world.session(Lane.DEFAULT).offers(offers));

        assertThat(world.view(work).policy().needs()).isEqualTo(words);
        assertThat(world.store().workers().describe(worker.session().id()).session().offers())
                .isEqualTo(offers);
    }

    @Test
    void as_many_and_as_long_capabilities_as_allowed_are_needed_and_offered() {
        var many = IntStream.range(0, 256).mapToObj(i -> "w" + i).toList();
        // Random, so that no database can make them smaller.
        var random = new SplittableRandom(1);
        var longOnes =
                IntStream.range(0, 16)
                        .mapToObj(i -> Stream.generate(() -> letter(random)).limit(255))
                        .map(letters -> String.join("", letters.toList()))
                        .toList();

        for (var words : List.of(many, longOnes)) {
            var work = needs(words.toArray(String[]::new));

            assertThat(offering(words.subList(1, words.size()).toArray(String[]::new)).take(1))
                    .isEmpty();
            assertThat(offering(words.toArray(String[]::new)).take(1)).containsExactly(work);
        }
    }

    @Test
    void what_is_malformed_is_neither_needed_nor_offered() {
        for (var word : List.of("a b", "a,b", "region=", "=eu", "region!=eu", "torch>=new")) {
            assertThat(asked(() -> Policy.DEFAULT.needs(Capabilities.of(word))))
                    .as(word)
                    .isInvalid(Invalid.Code.MALFORMED_CAPABILITY);
            assertThat(asked(() -> world.session(Lane.DEFAULT).offers(Capabilities.of(word))))
                    .as(word)
                    .isInvalid(Invalid.Code.MALFORMED_CAPABILITY);
        }
        assertThat(asked(() -> Capabilities.of(""))).isInvalid(Invalid.Code.EMPTY);
        assertThat(asked(() -> Capabilities.of("a\tb"))).isInvalid(Invalid.Code.NOT_PRINTABLE);
        assertThat(asked(() -> Capabilities.of("x".repeat((int) Limit.CAPABILITY_BYTES.max() + 1))))
                .isInvalid(Invalid.Code.TOO_LONG);
    }

    @Test
    void a_range_of_versions_is_not_offered() {
        assertThat(asked(() -> world.session(Lane.DEFAULT).offers(Capabilities.of("torch>=2"))))
                .isInvalid(Invalid.Code.COMPARISON_OFFERED);
    }

    @Test
    void needs_that_come_up_while_everybody_claims_are_missed_by_nobody() {
        var submitted = new AtomicInteger();
        var members = new ArrayList<Callable<List<ExecutionId>>>();
        for (int i = 0; i < SUBMITTERS; i++) {
            int submitter = i;
            members.add(
                    () -> {
                        for (int n = 0; n < EACH; n++) {
                            needs("v>=1.%d.%d".formatted(submitter + 1, n));
                            submitted.incrementAndGet();
                        }
                        return List.of();
                    });
        }
        for (int i = 0; i < WORKERS; i++) {
            var worker = offering("v=2");
            var stranger = offering("v=1");
            members.add(
                    () -> {
                        var taken = new ArrayList<ExecutionId>();
                        boolean last;
                        List<ExecutionId> more;
                        do {
                            last = submitted.get() == SUBMITTERS * EACH;
                            assertThat(stranger.take(3)).isEmpty();
                            more = worker.take(3);
                            taken.addAll(more);
                        } while (!last || !more.isEmpty());
                        return taken;
                    });
        }

        var taken = Crowd.together(members).stream().flatMap(List::stream).toList();

        assertThat(taken).hasSize(SUBMITTERS * EACH).doesNotHaveDuplicates();
    }

    /** What such a worker is given, all of which it gives back. */
    private List<ExecutionId> seenBy(String... offers) {
        var worker = offering(offers);
        var leases = worker.claim(10);
        leases.forEach(lease -> world.end(release(lease)).orThrow());
        worker.close();
        return leases.stream().map(Given::idOf).toList();
    }

    private static String letter(SplittableRandom random) {
        return Character.toString(random.nextInt('a', 'z' + 1));
    }

    private ExecutionId needs(String... capabilities) {
        return needs(0, capabilities);
    }

    private ExecutionId needs(int priority, String... capabilities) {
        return world.submit(
                work(Policy.DEFAULT.priority(priority).needs(Capabilities.of(capabilities))));
    }

    private ScenarioWorker offering(String... capabilities) {
        return world.worker(world.session(Lane.DEFAULT).offers(Capabilities.of(capabilities)));
    }
}
