package io.flowfabric.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.memory.Mutant;

import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Tests of the tests: each broken store must break rules, and the right ones. */
class MutantContractTest {
    @Test
    void a_store_without_a_fence_on_finish_is_caught() {
        assertThat(rulesBrokenBy(Mutant.NO_FENCE_ON_FINISH))
                .contains(
                        "a_stale_worker_cannot_finish_what_was_reclaimed",
                        "a_worker_stays_fenced_however_often_its_work_is_superseded",
                        "both_the_attempt_and_the_epoch_of_a_fence_must_fit",
                        "a_repeat_comes_too_late_after_the_next_claim");
    }

    @Test
    void a_store_that_does_not_raise_the_epoch_on_reclaim_is_caught() {
        assertThat(rulesBrokenBy(Mutant.EPOCH_NOT_RAISED_ON_RECLAIM))
                .contains(
                        "a_stale_worker_cannot_finish_what_was_reclaimed",
                        "a_worker_stays_fenced_however_often_its_work_is_superseded",
                        "the_next_worker_goes_on_with_the_same_attempt_under_a_new_epoch",
                        "the_history_of_a_lease_reads_from_acquired_to_released");
    }

    @Test
    void a_store_that_loses_the_wake_up_after_a_retry_is_caught() {
        assertThat(rulesBrokenBy(Mutant.LOST_WAKE_UP_AFTER_RETRY))
                .contains(
                        "a_retry_waits_for_its_backoff_and_is_then_claimed_as_a_new_attempt",
                        "work_is_tried_as_often_as_its_policy_allows_and_then_fails",
                        "waking_is_told_once_and_by_nobody",
                        "work_that_was_begun_is_claimed_again_like_any_other");
    }

    private static Set<String> rulesBrokenBy(Mutant mutant) {
        var broken = new TreeSet<String>();
        for (var family : StoreContract.class.getDeclaredClasses()) {
            // What many threads do at once proves nothing here that one thread does not.
            if (family != StoreContract.Racing.class) {
                rulesOf(family)
                        .filter(rule -> isBroken(family, rule, mutant))
                        .forEach(rule -> broken.add(rule.getName()));
            }
        }
        return broken;
    }

    private static Stream<Method> rulesOf(Class<?> family) {
        return Stream.of(family.getSuperclass().getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class));
    }

    private static boolean isBroken(Class<?> family, Method rule, Mutant mutant) {
        try {
            var contract = new MutantContract(mutant);
            var rules =
                    (Rules)
                            family.getDeclaredConstructor(StoreContract.class)
                                    .newInstance(contract);
            rules.open();
            try {
                rule.invoke(rules);
            } finally {
                rules.close();
            }
            return false;
        } catch (InvocationTargetException failed) {
            // An assertion alone is what a rule notices by. A refusal may have come on the way to
            // it, and so proves nothing; anything else says that the mutant is broken in another
            // way than it should be.
            var cause = failed.getCause();
            if (cause instanceof AssertionError || cause instanceof FlowFabricException) {
                return cause instanceof AssertionError;
            }
            throw new AssertionError(rule + " did not fail, but broke", cause);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("not a rule: " + rule, e);
        }
    }

    private static final class MutantContract extends StoreContract {
        private final Mutant mutant;

        MutantContract(Mutant mutant) {
            this.mutant = mutant;
        }

        @Override
        protected StoreFixture open() {
            return mutant.open();
        }
    }
}
