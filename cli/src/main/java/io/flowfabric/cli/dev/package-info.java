/**
 * {@code ./ff dev}: a few hundred executions on a real server, worked on by processes of their own,
 * one of which is killed; and a summary that is checked against the store.
 *
 * <p>It knows the engine, the worker runtime and the stores as any application would, and uses
 * nothing that an application could not use.
 */
@NullMarked
package io.flowfabric.cli.dev;

import org.jspecify.annotations.NullMarked;
