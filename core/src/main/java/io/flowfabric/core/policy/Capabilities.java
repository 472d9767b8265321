package io.flowfabric.core.policy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a worker offers, or what a piece of work needs: a set of words, compared exactly.
 *
 * <p>A word is not empty and has no comma, whitespace or control character; other languages are
 * welcome. The sorted, comma-joined form is the written one.
 */
public record Capabilities(SortedSet<String> words) {
    public static final Capabilities NONE = new Capabilities(Collections.emptySortedSet());

    public Capabilities {
        Limit.CAPABILITIES.checkCount("capabilities", words.size());
        words.forEach(Capabilities::check);
        // As a plain collection: another order than the natural one does not come along.
        words = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<String>) words));
        Limit.CAPABILITY_BYTES.checkSize(
                "capabilities", Text.utf8Length(String.join(",", words)), "bytes");
    }

    public static Capabilities of(String... words) {
        return of(List.of(words));
    }

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

    /** Whether everything that is needed is offered here. */
    public boolean cover(Capabilities needed) {
        return words.containsAll(needed.words);
    }

    /** What is needed and not offered here. */
    public Capabilities missing(Capabilities needed) {
        var missing = new TreeSet<>(needed.words);
        missing.removeAll(words);
        return new Capabilities(missing);
    }

    private static void check(String word) {
        Text.name("capability", word, Limit.CAPABILITY_BYTES);
        if (word.codePoints()
                .anyMatch(c -> c == ',' || Character.isWhitespace(c) || Character.isSpaceChar(c))) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_CAPABILITY,
                    "capability",
                    "A capability holds no comma and no white space.");
        }
    }

    @Override
    public String toString() {
        return String.join(",", words);
    }
}
