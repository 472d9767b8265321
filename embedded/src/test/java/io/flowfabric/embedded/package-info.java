/** Tests of the package of the same name, on a real Postgres. */
@NullMarked
package io.flowfabric.embedded;

import org.jspecify.annotations.NullMarked;
