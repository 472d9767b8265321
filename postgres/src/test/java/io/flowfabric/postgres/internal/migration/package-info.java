/** Tests of the package of the same name, on a real Postgres. */
@NullMarked
package io.flowfabric.postgres.internal.migration;

import org.jspecify.annotations.NullMarked;
