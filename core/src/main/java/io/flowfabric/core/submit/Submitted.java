package io.flowfabric.core.submit;

import io.flowfabric.core.ExecutionId;

/**
 * An accepted submission.
 *
 * @param id the execution; of an earlier submission when that had the same key
 * @param created whether this call created it, or found it
 */
public record Submitted(ExecutionId id, boolean created) {}
