/**
 * Brings the schema of a database to the state that this version of the code needs, once, whoever
 * starts first.
 *
 * <p>It knows numbered SQL files and the one table in which it writes down what it has applied. It
 * must never know what the files contain, and never touches anything outside of the schema.
 */
@NullMarked
package io.flowfabric.postgres.internal.migration;

import org.jspecify.annotations.NullMarked;
