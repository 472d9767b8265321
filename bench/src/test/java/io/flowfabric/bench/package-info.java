/** Tests of the benchmarks: that they refuse nonsense, take turns, and still run. */
@NullMarked
package io.flowfabric.bench;

import org.jspecify.annotations.NullMarked;
