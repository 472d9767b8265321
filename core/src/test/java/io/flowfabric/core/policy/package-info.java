/** Every decision that a policy implies, at its borders. */
@NullMarked
package io.flowfabric.core.policy;

import org.jspecify.annotations.NullMarked;
