@NullMarked
package io.flowfabric.core.feed;

import org.jspecify.annotations.NullMarked;
