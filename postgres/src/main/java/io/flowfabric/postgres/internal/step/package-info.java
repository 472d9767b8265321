/**
 * Steps of executions that the core decides: facts are read under their locks, and what was decided
 * is written.
 */
@NullMarked
package io.flowfabric.postgres.internal.step;

import org.jspecify.annotations.NullMarked;
