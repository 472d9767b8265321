package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toSet;

import io.flowfabric.testkit.contract.StoreContract;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.stream.Stream;

/** The list of rules that hold only within a partition. */
class RulesWithinPartitionsTest {
    @Test
    void every_rule_of_the_list_is_one_of_the_contract() {
        var rules =
                Arrays.stream(StoreContract.class.getDeclaredClasses())
                        .flatMap(
                                family ->
                                        Arrays.stream(family.getSuperclass().getDeclaredMethods())
                                                .map(
                                                        rule ->
                                                                family.getSimpleName()
                                                                        + "."
                                                                        + rule.getName()))
                        .collect(toSet());

        assertThat(
                        Stream.of("apart", "spread")
                                .flatMap(word -> RulesWithinPartitions.named(word).stream()))
                .isNotEmpty()
                .isSubsetOf(rules);
    }
}
