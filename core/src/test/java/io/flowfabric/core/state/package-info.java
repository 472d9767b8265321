/** The state table and the transition table, compared with what was decided elsewhere. */
@NullMarked
package io.flowfabric.core.state;

import org.jspecify.annotations.NullMarked;
