@NullMarked
package io.flowfabric.core.submit;

import org.jspecify.annotations.NullMarked;
