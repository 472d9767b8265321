@NullMarked
package io.flowfabric.core.signal;

import org.jspecify.annotations.NullMarked;
