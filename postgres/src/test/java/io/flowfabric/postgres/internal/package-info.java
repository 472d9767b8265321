/** Tests of the package of the same name. */
@NullMarked
package io.flowfabric.postgres.internal;

import org.jspecify.annotations.NullMarked;
