@NullMarked
package io.flowfabric.core.admission;

import org.jspecify.annotations.NullMarked;
