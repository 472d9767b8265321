/** What operators do to single executions. */
@NullMarked
package io.flowfabric.postgres.internal.operate;

import org.jspecify.annotations.NullMarked;
