package io.flowfabric.valkey.internal.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/**
 * The functions that run on the server. Their names carry the version of the library, so that those
 * of two programs lie side by side while one takes over from the other.
 */
public final class Library {
    /** The one that belongs to this program. */
    public static final Library OURS = new Library(resource("library.lua"), resource("version"));

    private final String text;
    private final String version;

    private Library(String text, String version) {
        this.text = text;
        this.version = version;
    }

    /** What the server is given. */
    public String text() {
        return text;
    }

    /** The name under which a function is called. */
    public String function(String name) {
        return "flowfabric_%s_%s".formatted(version, name);
    }

    private static String resource(String name) {
        var place = "/io/flowfabric/valkey/" + name;
        try (var in = Objects.requireNonNull(Library.class.getResourceAsStream(place), place)) {
            return new String(in.readAllBytes(), UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
