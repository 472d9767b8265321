package io.flowfabric.postgres.internal.ready;

/**
 * Whether work became ready in its turn, or has a place before what was already taken. Processes
 * tell each other, so that none looks for work behind its low-water mark.
 *
 * @param lane the number of the lane; zero where that does not matter
 * @param from the lowest number of the fresh work that became ready out of its turn
 */
public record QueueOrder(int lane, long from) {
    /** Nothing is out of its turn. */
    public static final QueueOrder KEPT = new QueueOrder(0, Long.MAX_VALUE);

    /** Work may have become ready anywhere. */
    public static final QueueOrder BROKEN = new QueueOrder(0, Long.MIN_VALUE);

    private static final String IN_BETWEEN = ":";

    /** Fresh work of a lane became ready, with numbers from this one on. */
    public static QueueOrder brokenFrom(int lane, long from) {
        return from == Long.MAX_VALUE ? KEPT : new QueueOrder(lane, from);
    }

    /** The same, and another of the same lane. */
    QueueOrder and(QueueOrder other) {
        return from <= other.from ? this : other;
    }

    /** Moves the marks that would hide the work. */
    void tell(LowWaterMarks marks) {
        if (equals(BROKEN)) {
            marks.forgetAll();
        } else if (!equals(KEPT)) {
            marks.queued(lane, from);
        }
    }

    /** A word that {@link #parse} understands. */
    String word() {
        if (equals(BROKEN)) {
            return "BROKEN";
        }
        return equals(KEPT) ? "KEPT" : lane + IN_BETWEEN + from;
    }

    /** What a process says. A word that is not understood may mean anything. */
    static QueueOrder parse(String word) {
        if (word.equals("KEPT")) {
            return KEPT;
        }
        int between = word.indexOf(IN_BETWEEN);
        try {
            return between < 0
                    ? BROKEN
                    : new QueueOrder(
                            Integer.parseInt(word.substring(0, between)),
                            Long.parseLong(word.substring(between + 1)));
        } catch (NumberFormatException e) {
            return BROKEN;
        }
    }
}
