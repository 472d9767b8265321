/**
 * Tickets that can be handed to outside systems: keys, the seals that they make, and the texts that
 * carry them.
 *
 * <p>A seal covers a version and a purpose, so that a ticket for one thing is none for another.
 * This package knows ids and errors; it knows neither stores nor clocks: whether a key still counts
 * and whether a ticket is still good is for a store to say.
 */
@NullMarked
package io.flowfabric.core.signing;

import org.jspecify.annotations.NullMarked;
