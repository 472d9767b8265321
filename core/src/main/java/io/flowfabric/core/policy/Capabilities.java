package io.flowfabric.core.policy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Capability.Comparison;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a worker offers, or what a piece of work needs.
 *
 * <p>Both have words, {@code gpu}, and attributes, {@code region=eu}; these are compared exactly.
 * Only needs have comparisons of an attribute with a version, {@code torch>=2.3}; {@link #asOffer}
 * refuses them.
 *
 * <p>A capability is not empty and has no comma, whitespace or control character; other languages
 * are welcome. The sorted, comma-joined form is the written one. The whole grammar is in {@code
 * docs/capabilities.md}.
 */
public record Capabilities(SortedSet<String> words) {
    /** No capabilities: needs that every worker covers, and an offer that covers no other. */
    public static final Capabilities NONE = new Capabilities(Collections.emptySortedSet());

    public Capabilities {
        Limit.CAPABILITIES.checkCount("capabilities", words.size());
        words.forEach(Capability::parse);
        // As a plain collection: another order than the natural one does not come along.
        words = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<String>) words));
        Limit.CAPABILITY_BYTES.checkSize(
                "capabilities", Text.utf8Length(String.join(",", words)), "bytes");
    }

    /** Capabilities read from words such as {@code gpu} and {@code torch>=2.3}. */
    public static Capabilities of(String... words) {
        return of(List.of(words));
    }

    /** Capabilities read from words such as {@code gpu} and {@code torch>=2.3}. */
    public static Capabilities of(Collection<String> words) {
        return new Capabilities(new TreeSet<>(words));
    }

    /**
     * Reads the written form; the order of the words does not matter.
     *
     * @throws Invalid when a word is empty or holds what none may hold
     */
    public static Capabilities parse(String text) {
        return text.isEmpty() ? NONE : of(List.of(text.split(",", -1)));
    }

    /**
     * These capabilities, checked to be something that a worker can offer.
     *
     * @throws Invalid when there is a comparison among them: a worker has a version, not a range of
     *     them
     */
    public Capabilities asOffer() {
        words.stream()
                .filter(Capability::compares)
                .findFirst()
                .ifPresent(
                        word -> {
                            throw new Invalid(
                                    Invalid.Code.COMPARISON_OFFERED,
                                    "offers",
                                    "%s can be needed, not offered; offer the version itself, as in torch=2.3.1."
                                            .formatted(word));
                        });
        return this;
    }

    /**
     * Whether there is a comparison among them, so that looking for the same words is not enough.
     */
    public boolean compare() {
        return words.stream().anyMatch(Capability::compares);
    }

    /** Whether everything that is needed is offered here. */
    public boolean cover(Capabilities needed) {
        return words.containsAll(needed.words) || missing(needed).words.isEmpty();
    }

    /** What is needed and not offered here. */
    public Capabilities missing(Capabilities needed) {
        var missing = new TreeSet<>(needed.words);
        missing.removeAll(words);
        ranges(missing)
                .forEach(
                        (key, range) -> {
                            if (offersWithin(key, range.values())) {
                                missing.removeAll(range.keySet());
                            }
                        });
        return new Capabilities(missing);
    }

    /**
     * The comparisons among some words, by key: those of one key are met together or not at all.
     */
    private static Map<String, Map<String, Comparison>> ranges(Collection<String> words) {
        var ranges = new TreeMap<String, Map<String, Comparison>>();
        for (String word : words) {
            if (Capability.parse(word) instanceof Comparison comparison) {
                ranges.computeIfAbsent(comparison.key(), first -> new TreeMap<>())
                        .put(word, comparison);
            }
        }
        return ranges;
    }

    /** Whether one of the offered values of a key is a version that all these accept. */
    private boolean offersWithin(String key, Collection<Comparison> range) {
        // The sign after '=' in the order of characters is '>', so these are the attributes of the
        // key.
        return words.subSet(key + "=", key + ">").stream()
                .flatMap(word -> Version.parse(word.substring(key.length() + 1)).stream())
                .anyMatch(version -> range.stream().allMatch(bound -> bound.accepts(version)));
    }

    @Override
    public String toString() {
        return String.join(",", words);
    }
}
