/**
 * The interfaces of the core on Valkey, one class for each, and what they share.
 *
 * <p>It knows the functions and how their answers are read. It must never know how they travel.
 */
@NullMarked
package io.flowfabric.valkey.internal;

import org.jspecify.annotations.NullMarked;
