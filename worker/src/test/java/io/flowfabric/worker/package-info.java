/** Tests of the worker, on the store in memory. */
@NullMarked
package io.flowfabric.worker;

import org.jspecify.annotations.NullMarked;
