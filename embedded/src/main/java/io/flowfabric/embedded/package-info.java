/**
 * A real Postgres for those who have none: unpacked from the jar, started as a process of its own,
 * kept in one folder.
 *
 * <p>It knows the operating system, the binaries and the data folder. It must never know what is
 * stored in the database, nor connect to it: a store on top sees an address and a login like any
 * other.
 */
@NullMarked
package io.flowfabric.embedded;

import org.jspecify.annotations.NullMarked;
