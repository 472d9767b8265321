/** Tests of the package of the same name: what a process remembers of what was taken and done. */
@NullMarked
package io.flowfabric.postgres.internal.lease;

import org.jspecify.annotations.NullMarked;
