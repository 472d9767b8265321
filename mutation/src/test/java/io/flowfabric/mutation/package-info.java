@NullMarked
package io.flowfabric.mutation;

import org.jspecify.annotations.NullMarked;
