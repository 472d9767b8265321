/** How work comes in. */
@NullMarked
package io.flowfabric.postgres.internal.submit;

import org.jspecify.annotations.NullMarked;
