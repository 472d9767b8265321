package io.flowfabric;

/**
 * The key of a piece of work.
 *
 * @param use what is made of a key that exists
 */
record WorkKey(String text, Use use) {
    /** What is made of a key that exists. */
    enum Use {
        /** The work that has it is answered, whatever its content. */
        IF_ABSENT,
        /** The work that has it is answered if its content is the same. */
        EXACT
    }
}
