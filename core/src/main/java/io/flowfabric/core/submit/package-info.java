/**
 * Handing in work: a {@link io.flowfabric.core.submit.Submission} describes one execution, and
 * {@link io.flowfabric.core.submit.Submissions} accepts many of them in one call.
 *
 * <p>Repeating a call is safe, because ids are made by the caller. It knows policies and ids, and
 * must never know who runs the work.
 */
@NullMarked
package io.flowfabric.core.submit;

import org.jspecify.annotations.NullMarked;
