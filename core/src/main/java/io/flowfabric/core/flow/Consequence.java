package io.flowfabric.core.flow;

/**
 * Something that is still to be done in a flow because something has happened in it. What one
 * commit does not come to is stored with the flow, and done by the next one.
 */
public sealed interface Consequence {
    /** The number of the last member that it was done for; -1 before the first. */
    int after();

    /** This consequence, done for members up to a number. */
    Consequence after(int number);

    /**
     * A member has ended: those that come after it are told.
     *
     * @param success whether it succeeded
     */
    record Resolve(int member, boolean success, int after) implements Consequence {
        @Override
        public Resolve after(int number) {
            return new Resolve(member, success, number);
        }
    }

    /** A member has what it needs, or can never have it: those before it may not be needed. */
    record Relieve(int member, int after) implements Consequence {
        @Override
        public Relieve after(int number) {
            return new Relieve(member, number);
        }
    }

    /** Members are ended, whatever they wait for. */
    record Stop(Which which, int after) implements Consequence {
        @Override
        public Stop after(int number) {
            return new Stop(which, number);
        }
    }

    /** Which members are ended, and how. */
    enum Which {
        /** All are skipped, because one has failed. */
        SKIP_ALL,
        /** All are cancelled. */
        CANCEL_ALL,
        /** Those are cancelled of which no attempt was ever begun. */
        CANCEL_PENDING,
        /** Those are cancelled that no worker has. */
        CANCEL_INACTIVE
    }
}
