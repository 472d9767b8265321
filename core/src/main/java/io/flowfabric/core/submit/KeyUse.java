package io.flowfabric.core.submit;

/**
 * How a submission uses its idempotency key, when an execution has that key already.
 *
 * <p>It is a word of the submission and not of the execution: nothing of it is stored, and each
 * submission says it anew. What is submitted again under its own id is a repeat, however the key is
 * used.
 */
public enum KeyUse {
    /**
     * The same content is answered with the execution that has the key; other content conflicts.
     */
    EXACT,
    /**
     * The execution that has the key is the answer, as long as it is kept, whatever its content.
     */
    IF_ABSENT,
    /**
     * The execution that has the key is the answer until it has ended, whatever its content. Once
     * it has ended the submission takes the key over.
     */
    WHILE_PENDING
}
