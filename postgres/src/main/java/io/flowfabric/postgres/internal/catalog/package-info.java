/** The small tables that hot rows refer to by number, and how rows are read and written. */
@NullMarked
package io.flowfabric.postgres.internal.catalog;

import org.jspecify.annotations.NullMarked;
