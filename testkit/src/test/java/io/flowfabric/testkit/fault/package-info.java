/** Tests of what breaks stores on purpose. */
@NullMarked
package io.flowfabric.testkit.fault;

import org.jspecify.annotations.NullMarked;
