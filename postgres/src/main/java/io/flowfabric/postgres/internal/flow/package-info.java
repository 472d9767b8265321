/** Graphs of executions, for those who submit, change and read them. */
@NullMarked
package io.flowfabric.postgres.internal.flow;

import org.jspecify.annotations.NullMarked;
