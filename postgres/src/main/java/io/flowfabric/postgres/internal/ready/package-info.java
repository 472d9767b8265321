/** What this process knows of ready work without asking the server, and whom it wakes. */
@NullMarked
package io.flowfabric.postgres.internal.ready;

import org.jspecify.annotations.NullMarked;
