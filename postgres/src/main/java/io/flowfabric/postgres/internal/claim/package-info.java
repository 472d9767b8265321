/** Which work a worker gets. */
@NullMarked
package io.flowfabric.postgres.internal.claim;

import org.jspecify.annotations.NullMarked;
