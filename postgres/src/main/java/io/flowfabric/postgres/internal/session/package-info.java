/** The sessions of workers, which their leases live by. */
@NullMarked
package io.flowfabric.postgres.internal.session;

import org.jspecify.annotations.NullMarked;
