/** What requests and results of the contract refuse, copy and compare. */
@NullMarked
package io.flowfabric.core.contract;

import org.jspecify.annotations.NullMarked;
