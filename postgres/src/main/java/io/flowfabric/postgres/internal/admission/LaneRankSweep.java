package io.flowfabric.postgres.internal.admission;

import static java.util.stream.Collectors.toSet;

import io.flowfabric.core.Contended;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.LaneRanking.Changed;
import io.flowfabric.postgres.internal.admission.LaneRanking.Unaware;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Moves, in the rounds of an engine, what waits in lanes that were changed: what the call that
 * changed a lane has not come to, and what was queued beside the change.
 *
 * <p>A round takes a small share of the time, because sessions and timers wait for its end. The
 * next one goes on where it ended. Lanes take turns, a piece each.
 */
public final class LaneRankSweep {
    private static final Logger log = LoggerFactory.getLogger(LaneRankSweep.class);

    /** How long a round takes: no piece is begun after that. */
    private static final long SHARE = Duration.ofMillis(100).toNanos();

    /** How long rounds are apart while there is more to move. */
    private static final long PAUSE = Duration.ofMillis(100).toNanos();

    /** How long rounds are apart, and a lane is left alone, otherwise. */
    private static final long EVERY = Duration.ofSeconds(5).toNanos();

    /**
     * How many times as long as a pass took the lane is left alone after it, unless it is settled
     * meanwhile: transactions may stay open for hours.
     */
    private static final int REST = 20;

    private final LaneRanking ranking;

    /** What is known of lanes that were changed; the one whose turn is longest ago comes first. */
    private final Map<Integer, Progress> lanes = new LinkedHashMap<>();

    private long next = System.nanoTime();
    private boolean underWay;
    private boolean told;

    public LaneRankSweep(PostgresContext postgres) {
        this.ranking = new LaneRanking(postgres);
    }

    /**
     * How long it is until a round goes on with what is under way, if something is: in whole
     * milliseconds, and not less.
     */
    public synchronized Optional<Duration> nextDue() {
        long left = Math.ceilDiv(next - System.nanoTime(), 1_000_000L);
        return underWay ? Optional.of(Duration.ofMillis(left)) : Optional.empty();
    }

    /** Does one round, if it is time for it. */
    public synchronized void round() {
        long now = System.nanoTime();
        if (now - next < 0) {
            return;
        }
        underWay = false;
        next = now + EVERY;
        look(now);
        var due = new ArrayDeque<Integer>();
        lanes.forEach(
                (lane, progress) -> {
                    if (progress.isDue(now)) {
                        due.add(lane);
                    }
                });
        boolean first = true;
        while (!due.isEmpty() && (first || System.nanoTime() - now < SHARE)) {
            int lane = due.remove();
            if (takePiece(lane)) {
                due.add(lane);
            }
            first = false;
        }
        underWay = !due.isEmpty();
        if (underWay) {
            next = System.nanoTime() + PAUSE;
        }
    }

    /** Begins passes where it is time for one. */
    private void look(long now) {
        var all = ranking.changed(null);
        lanes.keySet().retainAll(all.stream().map(Changed::lane).collect(toSet()));
        for (var changed : all) {
            var known = lanes.get(changed.lane());
            if (known == null || !known.changed.by().equals(changed.by())) {
                known = new Progress(changed, now);
                lanes.put(changed.lane(), known);
            }
            tellOnce(changed);
            known.changed = changed;
            known.begin(now);
        }
    }

    private void tellOnce(Changed changed) {
        if (changed.unaware() == Unaware.HIDDEN && !told) {
            told = true;
            log.warn(
                    "Lane number {} is looked at again and again for work in places of before,"
                            + " while other users who may use the schema are connected, for what"
                            + " they do is hidden from ours: grant it pg_read_all_stats",
                    changed.lane());
        }
    }

    /** Says whether the lane has more, and may have another turn in this round. */
    private boolean takePiece(int lane) {
        var progress = Objects.requireNonNull(lanes.remove(lane));
        lanes.put(lane, progress);
        try {
            return progress.takePiece();
        } catch (Contended held) {
            progress.restUntil = System.nanoTime() + EVERY;
            log.debug("What waits in the lane {} is held by another; later", lane, held);
            return false;
        }
    }

    /** How far this process has come with one change of a lane. */
    private final class Progress {
        /** As the lane was when it was last looked at. */
        private Changed changed;

        private long restUntil;
        private @Nullable RankPass pass;
        private long spent;

        /** Whether the last pass, or the one under way, began when the lane was settled. */
        private boolean settled;

        /** Drawn when no transaction was left that had a snapshot from before the change. */
        private @Nullable String number;

        private Progress(Changed changed, long now) {
            this.changed = changed;
            this.restUntil = now;
        }

        private boolean isDue(long now) {
            return pass != null && now - restUntil >= 0;
        }

        private void begin(long now) {
            if (pass != null) {
                return;
            }
            boolean over = isSettled();
            if (now - restUntil >= 0 || (over && !settled)) {
                pass = new RankPass(ranking, changed, over);
                settled = over;
                spent = 0;
                restUntil = now;
            }
        }

        private boolean isSettled() {
            if (number == null && changed.unaware() == Unaware.NONE) {
                number = ranking.number();
            }
            return number != null && ranking.allBeforeAreOver(number);
        }

        private boolean takePiece() {
            var taken = Objects.requireNonNull(pass);
            long began = System.nanoTime();
            boolean more = taken.takePiece();
            long ended = System.nanoTime();
            spent += ended - began;
            if (!more) {
                pass = null;
                restUntil = ended + Math.max(EVERY, REST * spent);
                // What was open at its beginning may be over by its end; then the next is the last.
                if (!settled) {
                    begin(ended);
                }
            }
            return pass != null;
        }
    }
}
