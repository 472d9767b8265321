package io.flowfabric.core.submit;

import io.flowfabric.core.Answer;

import java.util.List;

/** Where work comes in. */
public interface Submissions {
    /**
     * Accepts work, each item by itself.
     *
     * <p>An accepted execution is ready or delayed, and its lane is registered, in the same commit.
     * The same submission again, by its id or by its key, is the same execution.
     *
     * <p>Refusals: {@code Conflict} when the id or the key is taken by other content, {@code
     * Denied} when the lane takes no work.
     */
    List<Answer<Submitted>> submit(List<Submission> submissions);
}
