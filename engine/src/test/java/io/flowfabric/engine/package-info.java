/** Tests of the engine, on the store in memory. */
@NullMarked
package io.flowfabric.engine;

import org.jspecify.annotations.NullMarked;
