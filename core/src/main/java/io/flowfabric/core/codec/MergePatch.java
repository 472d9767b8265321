package io.flowfabric.core.codec;

import io.flowfabric.core.codec.Json.JsonNull;
import io.flowfabric.core.codec.Json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;

/**
 * JSON merge patches (RFC 7396): fields of a patch replace those of the document, null removes
 * them, and objects are patched in turn. Whatever is not patched stays as it was written, to the
 * last digit of a number.
 */
public final class MergePatch {
    private MergePatch() {}

    /** The document, patched. */
    public static JsonObject apply(JsonObject document, JsonObject patch) {
        var fields = new LinkedHashMap<>(document.fields());
        patch.fields()
                .forEach(
                        (name, value) -> {
                            if (value instanceof JsonNull) {
                                fields.remove(name);
                            } else {
                                fields.put(name, patched(fields.get(name), value));
                            }
                        });
        return new JsonObject(fields);
    }

    private static Json patched(@Nullable Json before, Json value) {
        if (!(value instanceof JsonObject patch)) {
            return value;
        }
        return apply(before instanceof JsonObject object ? object : JsonObject.EMPTY, patch);
    }
}
