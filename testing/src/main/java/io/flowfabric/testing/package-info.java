/**
 * Tests of programs: a fabric in memory whose time is skipped, so that days of retries, sleeps and
 * timeouts pass in a moment. It knows the facade and the store in memory; nothing but tests knows
 * it.
 */
@NullMarked
package io.flowfabric.testing;

import org.jspecify.annotations.NullMarked;
