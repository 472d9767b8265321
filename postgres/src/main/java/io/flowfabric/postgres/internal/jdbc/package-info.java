/**
 * The small JDBC layer: statements that live in SQL files, values bound by name, transactions as a
 * function, and SQL states turned into the errors of the core.
 *
 * <p>It knows JDBC, the Postgres driver and the pool. It must never know a table, an execution or a
 * rule of the store: those are in the package above and in its SQL files.
 */
@NullMarked
package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.NullMarked;
