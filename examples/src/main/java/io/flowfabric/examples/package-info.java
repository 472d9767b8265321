/**
 * Programs to run, to read and to begin with, one class each: {@code ./ff example}.
 *
 * <p>They know the facade, as the program of a user does, and what is below it where the facade
 * does not reach. No other module knows them.
 */
@NullMarked
package io.flowfabric.examples;

import org.jspecify.annotations.NullMarked;
