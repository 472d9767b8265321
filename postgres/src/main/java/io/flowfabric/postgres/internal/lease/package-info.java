/** What the holder of a lease says: that it lives, how far it is, what it used up, how it ended. */
@NullMarked
package io.flowfabric.postgres.internal.lease;

import org.jspecify.annotations.NullMarked;
