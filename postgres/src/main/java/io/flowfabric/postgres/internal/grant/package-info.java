/** Work that is given out as signed tickets, and the keys that sign them. */
@NullMarked
package io.flowfabric.postgres.internal.grant;

import org.jspecify.annotations.NullMarked;
