package io.flowfabric.mutation;

/**
 * What came of one change.
 *
 * @param asked how many tests were run
 * @param who the test that failed
 */
record TrialResult(TrialOutcome outcome, int asked, String who) {
    static final TrialResult LOST = new TrialResult(TrialOutcome.LOST, 0, "");

    static TrialResult parse(String[] columns) {
        return new TrialResult(
                TrialOutcome.valueOf(columns[1]), Integer.parseInt(columns[2]), columns[3]);
    }

    String line(int number) {
        return "%d\t%s\t%d\t%s".formatted(number, outcome, asked, who);
    }

    /** Why nobody noticed it. */
    String inWords() {
        return switch (outcome) {
            case SURVIVED -> asked + " tests did not notice";
            case NEVER_RUN -> "no test runs it";
            case LOST -> "the process that tried it ended without an answer";
            case NOTICED, ENDLESS, STILLBORN -> "noticed";
        };
    }
}
