/** Tests of the peers: what is not done does not pass. */
@NullMarked
package io.flowfabric.bench.peer;

import org.jspecify.annotations.NullMarked;
