/** What the vocabulary promises, rule by rule. */
@NullMarked
package io.flowfabric.core;

import org.jspecify.annotations.NullMarked;
