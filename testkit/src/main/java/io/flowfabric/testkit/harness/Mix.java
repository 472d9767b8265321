package io.flowfabric.testkit.harness;

import java.util.EnumMap;
import java.util.Map;

/**
 * How often each kind of operation occurs, by weight.
 *
 * @param openings how many sessions are opened before anything else, so that something can happen
 */
record Mix(Map<Kind, Integer> weights, int openings) {
    enum Kind {
        SUBMIT,
        SUBMIT_FLOW,
        CANCEL_FLOW,
        OPEN,
        REOPEN,
        CLOSE,
        CRASH,
        BEAT,
        CLAIM,
        CLAIM_AGAIN,
        REPORT,
        END,
        REPEAT,
        OPERATE,
        ASSIGN,
        CONFIGURE,
        TICK,
        PASS,
        MARK_DEAD,
        DEFINE_QUOTA,
        DEFINE_BUDGET,
        SPEND,
        GRANT,
        RECLAIM,
        REDEEM,
        ROTATE,
        CHECKPOINT,
        OPEN_WAITPOINT,
        SEND,
        CLOSE_WAITPOINT,
        APPEND
    }

    /** Submitters of a concurrent run. */
    static final Mix SUBMITTER = new Mix(Map.of(Kind.SUBMIT, 1), 0);

    /** Workers of a concurrent run. */
    static final Mix WORKER =
            new Mix(
                    new EnumMap<>(
                            Map.ofEntries(
                                    Map.entry(Kind.OPEN, 4),
                                    Map.entry(Kind.CLOSE, 1),
                                    Map.entry(Kind.CRASH, 1),
                                    Map.entry(Kind.BEAT, 15),
                                    Map.entry(Kind.CLAIM, 20),
                                    Map.entry(Kind.CLAIM_AGAIN, 4),
                                    Map.entry(Kind.GRANT, 8),
                                    Map.entry(Kind.RECLAIM, 2),
                                    Map.entry(Kind.REDEEM, 12),
                                    Map.entry(Kind.REPORT, 8),
                                    Map.entry(Kind.CHECKPOINT, 8),
                                    Map.entry(Kind.OPEN_WAITPOINT, 3),
                                    Map.entry(Kind.APPEND, 8),
                                    Map.entry(Kind.END, 36),
                                    Map.entry(Kind.REPEAT, 6))),
                    1);

    /** Operators of a concurrent run. */
    static final Mix OPERATOR =
            new Mix(
                    new EnumMap<>(
                            Map.ofEntries(
                                    Map.entry(Kind.OPERATE, 80),
                                    Map.entry(Kind.SEND, 60),
                                    Map.entry(Kind.CLOSE_WAITPOINT, 4),
                                    Map.entry(Kind.ASSIGN, 5),
                                    Map.entry(Kind.OPEN, 2),
                                    Map.entry(Kind.END, 5),
                                    Map.entry(Kind.DEFINE_QUOTA, 8),
                                    Map.entry(Kind.DEFINE_BUDGET, 8),
                                    Map.entry(Kind.ROTATE, 2),
                                    Map.entry(Kind.CONFIGURE, 8))),
                    1);

    /** The thread that lets time pass in a concurrent run. */
    static final Mix CLOCK = new Mix(new EnumMap<>(Map.of(Kind.TICK, 2, Kind.PASS, 1)), 0);

    Mix {
        weights = new EnumMap<>(weights);
    }

    /**
     * Everyone together, in a proportion that depends on the seed: runs in which something is
     * frequent, or never happens, get into corners that a mean mix does not see.
     */
    static Mix ofEveryone(long seed) {
        var draw = new Draw(Identity.mixed(seed));
        var weights = usual();
        weights.replaceAll(
                (kind, weight) ->
                        essential(kind) ? weight * 4 : weight * draw.one(0, 2, 4, 4, 4, 12));
        return new Mix(weights, Vocabulary.NAMESPACES.size());
    }

    private static boolean essential(Kind kind) {
        return kind == Kind.SUBMIT || kind == Kind.OPEN || kind == Kind.CLAIM || kind == Kind.TICK;
    }

    private static EnumMap<Kind, Integer> usual() {
        var weights = new EnumMap<Kind, Integer>(Kind.class);
        weights.put(Kind.SUBMIT, 17);
        weights.put(Kind.SUBMIT_FLOW, 4);
        weights.put(Kind.CANCEL_FLOW, 1);
        weights.put(Kind.OPEN, 7);
        weights.put(Kind.REOPEN, 1);
        weights.put(Kind.CLOSE, 1);
        weights.put(Kind.CRASH, 1);
        weights.put(Kind.BEAT, 7);
        weights.put(Kind.CLAIM, 16);
        weights.put(Kind.CLAIM_AGAIN, 3);
        weights.put(Kind.REPORT, 7);
        weights.put(Kind.END, 15);
        weights.put(Kind.REPEAT, 3);
        weights.put(Kind.OPERATE, 11);
        weights.put(Kind.ASSIGN, 2);
        weights.put(Kind.CONFIGURE, 2);
        weights.put(Kind.TICK, 8);
        weights.put(Kind.PASS, 8);
        weights.put(Kind.MARK_DEAD, 1);
        weights.put(Kind.DEFINE_QUOTA, 4);
        weights.put(Kind.DEFINE_BUDGET, 4);
        weights.put(Kind.SPEND, 6);
        weights.put(Kind.GRANT, 6);
        weights.put(Kind.RECLAIM, 3);
        weights.put(Kind.REDEEM, 8);
        weights.put(Kind.ROTATE, 1);
        weights.put(Kind.CHECKPOINT, 6);
        weights.put(Kind.OPEN_WAITPOINT, 3);
        weights.put(Kind.SEND, 10);
        weights.put(Kind.CLOSE_WAITPOINT, 1);
        weights.put(Kind.APPEND, 6);
        return weights;
    }
}
