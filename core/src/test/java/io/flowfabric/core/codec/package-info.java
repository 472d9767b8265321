/** What is written can be read, by this version and by the next. */
@NullMarked
package io.flowfabric.core.codec;

import org.jspecify.annotations.NullMarked;
