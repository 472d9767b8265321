@NullMarked
package io.flowfabric.core.lease;

import org.jspecify.annotations.NullMarked;
