package io.flowfabric.core;

/** The tenant: lanes, idempotency keys, budgets and access belong to one. */
public record Namespace(String name) implements Comparable<Namespace> {
    /** Where everything lives that names no other. */
    public static final Namespace DEFAULT = new Namespace("default");

    public Namespace {
        Text.name("namespace", name, Limit.NAME_BYTES);
    }

    @Override
    public int compareTo(Namespace other) {
        return name.compareTo(other.name);
    }

    @Override
    public String toString() {
        return name;
    }
}
