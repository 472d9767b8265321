/**
 * The Postgres that everything is measured on, made for one run and thrown away after it, and the
 * wire tap that counts what goes to it.
 *
 * <p>It knows the embedded server and JDBC. It must never know who is measured.
 */
@NullMarked
package io.flowfabric.bench.server;

import org.jspecify.annotations.NullMarked;
