@NullMarked
package io.flowfabric.bench;

import org.jspecify.annotations.NullMarked;
