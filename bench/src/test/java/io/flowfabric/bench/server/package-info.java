/** Tests of what is read off the wire. */
@NullMarked
package io.flowfabric.bench.server;

import org.jspecify.annotations.NullMarked;
