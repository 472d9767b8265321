package io.flowfabric.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toUnmodifiableSet;

import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Set;

/**
 * Leaves the rules out that hold only within a partition, where namespaces are spread over several:
 * {@code rules-within-partitions.txt} lists them, each with its reason.
 */
public final class RulesWithinPartitions implements PostDiscoveryFilter {
    private static final String APART = SpreadApartContractTest.class.getName();
    private static final String TOGETHER = SpreadTogetherContractTest.class.getName();

    private final Set<String> apart = named("apart");
    private final Set<String> spread = named("spread");

    /** The rules of the list with a word before them: a family and a rule. */
    static Set<String> named(String word) {
        try (var list =
                RulesWithinPartitions.class.getResourceAsStream("rules-within-partitions.txt")) {
            return new String(Objects.requireNonNull(list).readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(word + " "))
                    .map(line -> line.substring(word.length() + 1))
                    .collect(toUnmodifiableSet());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Override
    public FilterResult apply(TestDescriptor test) {
        return FilterResult.includedIf(
                !(test.getSource().orElse(null) instanceof MethodSource source)
                        || !isLeftOut(test.getUniqueId().toString(), source.getMethodName()));
    }

    private boolean isLeftOut(String id, String method) {
        boolean isApart = id.contains("[class:" + APART + "]");
        boolean isTogether = id.contains("[class:" + TOGETHER + "]");
        if (!isApart && !isTogether) {
            return false;
        }
        var family = id.replaceAll(".*\\[nested-class:([A-Za-z]+)\\].*", "$1");
        var rule = family + "." + method;
        return spread.contains(rule) || (isApart && apart.contains(rule));
    }
}
