package io.flowfabric.core.contract;

/** A backend that keeps the data itself, and so has chores that somebody must tend to. */
public interface Store extends Backend {
    Maintenance maintenance();
}
