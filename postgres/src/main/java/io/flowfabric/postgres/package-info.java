/**
 * The store on Postgres.
 *
 * <p>{@link io.flowfabric.postgres.PostgresStore} keeps the contract of the core with one prepared
 * statement for each transition; the statements are SQL files beside this package, the schema is
 * its migrations. It knows the core and JDBC. It must never decide what the core decides: facts are
 * read under a lock, the decision is asked for, the change is written.
 */
@NullMarked
package io.flowfabric.postgres;

import org.jspecify.annotations.NullMarked;
