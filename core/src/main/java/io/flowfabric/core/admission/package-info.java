/**
 * How much may start: quotas limit how many executions run and how many start within a window;
 * budgets limit what they may use up in all.
 *
 * <p>A claim asks both before it gives work out, and tells what kept work waiting. It knows only
 * the words of policies, and must never know which worker asks.
 */
@NullMarked
package io.flowfabric.core.admission;

import org.jspecify.annotations.NullMarked;
