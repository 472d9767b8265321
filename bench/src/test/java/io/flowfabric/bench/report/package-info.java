@NullMarked
package io.flowfabric.bench.report;

import org.jspecify.annotations.NullMarked;
