package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.StoreFailure;

/** A call was refused before anything happened, for want of something that can be seen to. */
final class Unprepared extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What a call needs. */
    enum Need {
        /** One to the node was never made, or is broken. */
        A_CONNECTION,
        /** Their library was never loaded there, or flushed. */
        THE_FUNCTIONS,
        /** Some are at another node by now, because their slot is being moved. */
        ALL_KEYS,
        /** One that the answer names. */
        ANOTHER_NODE,
        /** The one that was asked is a replica by now. */
        A_PRIMARY,
        /** None is known here to have the slot, because the cluster is changing. */
        AN_OWNER
    }

    private final Need need;
    private final StoreFailure failure;

    /**
     * @param failure what it is for whoever cannot see to it
     */
    Unprepared(Need need, StoreFailure failure) {
        super(failure);
        this.need = need;
        this.failure = failure;
    }

    Need need() {
        return need;
    }

    StoreFailure failure() {
        return failure;
    }
}
