@NullMarked
package io.flowfabric.core.operate;

import org.jspecify.annotations.NullMarked;
