/** Tests of the decisions. */
@NullMarked
package io.flowfabric.core.decision;

import org.jspecify.annotations.NullMarked;
