/** Tests of what is made of measurements. */
@NullMarked
package io.flowfabric.bench.report;

import org.jspecify.annotations.NullMarked;
