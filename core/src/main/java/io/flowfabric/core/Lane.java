package io.flowfabric.core;

import java.util.Comparator;

/** A queue, named inside a namespace: 1 to 64 printable ASCII characters. */
public record Lane(Namespace namespace, String name) implements Comparable<Lane> {
    /** The lane of everything that names no other. */
    public static final Lane DEFAULT = new Lane(Namespace.DEFAULT, "default");

    private static final Comparator<Lane> ORDER =
            Comparator.comparing(Lane::namespace).thenComparing(Lane::name);

    public Lane {
        Text.name("lane", name, Limit.LANE_BYTES);
        if (!name.chars().allMatch(c -> c >= 0x20 && c <= 0x7E)) {
            throw new Invalid(
                    Invalid.Code.NOT_PRINTABLE,
                    "lane",
                    "Only printable ASCII characters can be used.");
        }
    }

    /** A lane of the default namespace. */
    public static Lane of(String name) {
        return new Lane(Namespace.DEFAULT, name);
    }

    @Override
    public int compareTo(Lane other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
