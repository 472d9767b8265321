@NullMarked
package io.flowfabric.core.flow;

import org.jspecify.annotations.NullMarked;
