/** Tests of the package of the same name, on a real Postgres. */
@NullMarked
package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.NullMarked;
