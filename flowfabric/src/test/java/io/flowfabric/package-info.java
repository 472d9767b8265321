@NullMarked
package io.flowfabric;

import org.jspecify.annotations.NullMarked;
