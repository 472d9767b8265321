@NullMarked
package io.flowfabric.bench.server;

import org.jspecify.annotations.NullMarked;
