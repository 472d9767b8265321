@NullMarked
package io.flowfabric.core.query;

import org.jspecify.annotations.NullMarked;
