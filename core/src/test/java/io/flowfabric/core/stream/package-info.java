@NullMarked
package io.flowfabric.core.stream;

import org.jspecify.annotations.NullMarked;
