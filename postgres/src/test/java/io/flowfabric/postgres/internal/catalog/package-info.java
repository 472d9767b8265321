/** Tests of the package of the same name: what a process knows by number. */
@NullMarked
package io.flowfabric.postgres.internal.catalog;

import org.jspecify.annotations.NullMarked;
