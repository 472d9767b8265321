package io.flowfabric.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes maps, lists, strings, numbers and booleans as JSON. */
final class JsonText {
    private static final String STEP = "  ";

    private JsonText() {}

    static String write(Object value) {
        var text = new StringBuilder();
        write(value, "", text);
        return text.append('\n').toString();
    }

    private static void write(Object value, String indent, StringBuilder text) {
        switch (value) {
            case Map<?, ?> map -> object(map, indent, text);
            case List<?> list -> array(list, text);
            case Double number -> number(number, text);
            case Number number -> text.append(number);
            case Boolean truth -> text.append(truth);
            case String string -> string(string, text);
            default ->
                    throw new IllegalArgumentException(
                            "%s has no form in JSON.".formatted(value.getClass()));
        }
    }

    private static void object(Map<?, ?> map, String indent, StringBuilder text) {
        text.append('{');
        var separator = "\n";
        for (var entry : map.entrySet()) {
            text.append(separator).append(indent).append(STEP);
            string(entry.getKey().toString(), text);
            text.append(": ");
            write(entry.getValue(), indent + STEP, text);
            separator = ",\n";
        }
        text.append(map.isEmpty() ? "}" : "\n" + indent + "}");
    }

    private static void array(List<?> list, StringBuilder text) {
        text.append('[');
        var separator = "";
        for (var value : list) {
            text.append(separator);
            write(value, "", text);
            separator = ", ";
        }
        text.append(']');
    }

    private static void number(double number, StringBuilder text) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("%s has no form in JSON.".formatted(number));
        }
        text.append(String.format(Locale.ROOT, "%.4f", number));
    }

    private static void string(String string, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
