/** Tests of the store in memory, and the broken stores that test the tests. */
@NullMarked
package io.flowfabric.testkit.memory;

import org.jspecify.annotations.NullMarked;
