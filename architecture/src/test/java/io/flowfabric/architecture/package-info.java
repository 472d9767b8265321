/** What may know what, kept by tests. */
@NullMarked
package io.flowfabric.architecture;

import org.jspecify.annotations.NullMarked;
