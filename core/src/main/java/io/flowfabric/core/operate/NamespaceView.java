package io.flowfabric.core.operate;

import io.flowfabric.core.Namespace;

/** A namespace as it is. */
public record NamespaceView(Namespace namespace, NamespaceSettings settings) {}
