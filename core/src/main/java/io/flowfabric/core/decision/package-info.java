/**
 * What follows from what: the changes that acts of operators and the passing of time imply, how
 * ready work reads beside the workers that there are, and why work is not running, as pure
 * functions.
 *
 * <p>A store reads the facts of an execution under its lock, asks here, and writes the change; so
 * the rules are in one place and each store only keeps them. It knows the rest of the core, and
 * must never know how a change is written.
 */
@NullMarked
package io.flowfabric.core.decision;

import org.jspecify.annotations.NullMarked;
