/**
 * What is stored, as this program reads it. The functions on the server have the same numbers.
 *
 * <p>It knows the core and packed values. It must never ask a server.
 */
@NullMarked
package io.flowfabric.valkey.internal.record;

import org.jspecify.annotations.NullMarked;
