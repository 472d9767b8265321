/** The contract suite, run against the store in memory. */
@NullMarked
package io.flowfabric.testkit.contract;

import org.jspecify.annotations.NullMarked;
