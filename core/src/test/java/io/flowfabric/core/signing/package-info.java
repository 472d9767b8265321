/** What tokens promise: one spelling, and a seal over all of it. */
@NullMarked
package io.flowfabric.core.signing;

import org.jspecify.annotations.NullMarked;
