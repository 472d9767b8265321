/** What every part of the store works with. */
@NullMarked
package io.flowfabric.postgres.internal;

import org.jspecify.annotations.NullMarked;
