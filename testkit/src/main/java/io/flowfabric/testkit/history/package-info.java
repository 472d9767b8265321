/**
 * The history checker: judges any run of any store, however many threads took part, from what the
 * feed says happened, what is there at the end, and what clients saw acknowledged.
 *
 * <p>It knows the core and what a history must look like to be possible. It must never know how the
 * run was made or which store it ran on: it compares with no model, so it is right about runs whose
 * order that cannot be predicted.
 */
@NullMarked
package io.flowfabric.testkit.history;

import org.jspecify.annotations.NullMarked;
