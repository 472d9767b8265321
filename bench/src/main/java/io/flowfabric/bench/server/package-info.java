/**
 * The servers that everything is measured on, made for one run and thrown away after it: a
 * Postgres, with the wire tap that counts what goes to it, and a Redis, or a cluster of them.
 *
 * <p>It knows the embedded servers, JDBC and Lettuce. It must never know who is measured.
 */
@NullMarked
package io.flowfabric.bench.server;

import org.jspecify.annotations.NullMarked;
