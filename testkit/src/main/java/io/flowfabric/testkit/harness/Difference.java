package io.flowfabric.testkit.harness;

import java.util.List;

/**
 * Where a store is not what it should be.
 *
 * @param about which call, view or rule
 * @param details what exactly, in lines
 */
record Difference(Kind kind, String about, List<String> details) {
    enum Kind {
        /** The two stores answered a call differently. */
        ANSWER,
        /** A claim picked what it may not pick. */
        PICK,
        /** A repeated call got another answer than the first. */
        REPEAT,
        /** Something that can be looked at looks different. */
        STATE,
        /** The feeds tell different stories, or one tells it differently when asked again. */
        FEED,
        /** A chore does more than its limit, or never comes to an end. */
        CHORE,
        /** The work could not be brought to its end. */
        DRAIN,
        /** The history checker finds the run unsound. */
        HISTORY,
        /** The store failed in a way that the contract does not have. */
        CRASH
    }

    /** Whether both are the same kind of difference, so that one case can stand for the other. */
    boolean resembles(Difference other) {
        return kind == other.kind && about.equals(other.about);
    }

    /** Both in words. */
    String title() {
        return kind + " of " + about;
    }

    /** A difference that ends the run, on its way out. */
    static final class Found extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Difference difference;

        Found(Kind kind, String about, List<String> details) {
            this(new Difference(kind, about, details));
        }

        Found(Difference difference) {
            super(difference.toString());
            this.difference = difference;
        }

        Difference difference() {
            return difference;
        }
    }
}
