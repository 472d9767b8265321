package io.flowfabric.core;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What work is labelled with at submission, to be found by later.
 *
 * <p>Keys are lower-case words joined by dots ({@code customer}, {@code shop.order_id}); {@code
 * ff.} belongs to the engine.
 */
public record Tags(SortedMap<String, String> values) {
    /** No tags. */
    public static final Tags NONE = new Tags(new TreeMap<>());

    private static final Pattern KEY = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*");
    private static final String RESERVED = "ff.";

    public Tags {
        Limit.TAGS.checkCount("tags", values.size());
        values.forEach(Tags::check);
        // As a plain map: another order than the natural one does not come along.
        values = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, String>) values));
    }

    /** These tags. */
    public static Tags of(Map<String, String> values) {
        return new Tags(new TreeMap<>(values));
    }

    /** These tags and one more, which replaces an earlier value of the same key. */
    public Tags with(String key, String value) {
        var more = new TreeMap<>(values);
        more.put(key, value);
        return new Tags(more);
    }

    private static void check(String key, String value) {
        Text.name("tag key", key, Limit.TAG_KEY_BYTES);
        if (!KEY.matcher(key).matches() || key.startsWith(RESERVED)) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_TAG_KEY,
                    "tag " + key,
                    "A key is lower-case words joined by dots, such as shop.order_id, and does not"
                            + " begin with ff.");
        }
        Text.line("tag " + key, value, Limit.TAG_VALUE_BYTES);
    }
}
