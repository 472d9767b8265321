package io.flowfabric.core.codec;

import io.flowfabric.core.codec.Json.JsonArray;
import io.flowfabric.core.codec.Json.JsonBoolean;
import io.flowfabric.core.codec.Json.JsonNull;
import io.flowfabric.core.codec.Json.JsonNumber;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.Json.JsonString;

/** Writes JSON without spaces, so that equal values written in the same order are equal texts. */
final class JsonWriter {
    private final StringBuilder out = new StringBuilder();

    private JsonWriter() {}

    static String write(Json json) {
        var writer = new JsonWriter();
        writer.value(json);
        return writer.out.toString();
    }

    private void value(Json json) {
        switch (json) {
            case JsonObject(var fields) -> {
                char before = '{';
                for (var field : fields.entrySet()) {
                    out.append(before);
                    string(field.getKey());
                    out.append(':');
                    value(field.getValue());
                    before = ',';
                }
                out.append(fields.isEmpty() ? "{}" : "}");
            }
            case JsonArray(var items) -> {
                char before = '[';
                for (var item : items) {
                    out.append(before);
                    value(item);
                    before = ',';
                }
                out.append(items.isEmpty() ? "[]" : "]");
            }
            case JsonString(var text) -> string(text);
            case JsonNumber(var literal) -> out.append(literal);
            case JsonBoolean(var truth) -> out.append(truth);
            case JsonNull() -> out.append("null");
        }
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || isAlone(text, i)) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    /** Whether this is half of a surrogate pair without the other half, which UTF-8 has not. */
    private static boolean isAlone(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c)
                && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
