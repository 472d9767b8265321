package io.flowfabric.core.operate;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;

/**
 * The tenants. A namespace needs no founding: it behaves by default until an operator says
 * otherwise.
 */
public interface Namespaces {
    /** Sets how a namespace behaves, from now on. Returns the namespace as it is then. */
    NamespaceView configure(Namespace namespace, NamespaceSettings settings, Attribution by);

    /** One namespace, also one that was never used. */
    NamespaceView describe(Namespace namespace);

    /** The namespaces that have a lane, or settings of their own, by name. */
    Page<NamespaceView> list(Cursor after, int max);
}
