/** What follows in flows from what happens to their members. */
@NullMarked
package io.flowfabric.postgres.internal.settle;

import org.jspecify.annotations.NullMarked;
