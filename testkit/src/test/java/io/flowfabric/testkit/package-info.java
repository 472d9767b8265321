/** Tests of the package of the same name. */
@NullMarked
package io.flowfabric.testkit;

import org.jspecify.annotations.NullMarked;
