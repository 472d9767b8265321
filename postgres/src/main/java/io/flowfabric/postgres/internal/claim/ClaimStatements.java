package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.CrowdedLanes.Choice;
import io.flowfabric.postgres.internal.ready.LowWaterMarks;

import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.function.Supplier;

/**
 * The statements that claim: which of them will do for a session, what each of them is told, and
 * what is learned from its answer for the next one.
 */
final class ClaimStatements {
    /** No claim looks at more than this. */
    static final int WIDEST = 10_000;

    private final PostgresContext postgres;
    private final LaneTurns laneTurns = new LaneTurns();
    private final CapabilityCache fits = new CapabilityCache();
    private final ClaimMemory memory = new ClaimMemory();
    private final MeterTurns meterTurns;

    ClaimStatements(PostgresContext postgres) {
        this.postgres = postgres;
        this.meterTurns = new MeterTurns(postgres.db().options());
    }

    /**
     * One look at what is ready.
     *
     * @param ttl how long grants hold; null: leases are given
     * @param window how many are looked at
     */
    record Look(Claim claim, @Nullable Long ttl, int window) {
        int max() {
            return claim.max();
        }
    }

    void forgetAll() {
        fits.forgetAll();
    }

    /** Looks once, by the cheapest statement that is not known not to do. */
    ClaimRound look(Look look) {
        return look.ttl == null ? cheaply(look) : inTurn(look, () -> anyhow(look));
    }

    private ClaimRound cheaply(Look look) {
        var session = look.claim.session();
        var form = memory.form(session);
        if (form == ClaimMemory.Form.PLAIN) {
            var marks = postgres.marks().look();
            var found = new FoundWork();
            query(form, look, marks).each(found::addPlain);
            if (!found.intricate()) {
                return round(look, marks, found);
            }
            form = ClaimMemory.Form.COUNTED;
            memory.needs(session, form);
            memory.sawCounting(session, found.counts());
        }
        boolean counted = form == ClaimMemory.Form.COUNTED;
        return inTurn(look, () -> counted ? counted(look) : anyhow(look));
    }

    /** A session whose work counts against nothing waits for none whose work does. */
    private ClaimRound inTurn(Look look, Supplier<ClaimRound> claim) {
        return memory.counts(look.claim.session()) ? meterTurns.take(claim) : claim.get();
    }

    /** By the statement for work that counts, and where that finds nothing by the one for any. */
    private ClaimRound counted(Look look) {
        var session = look.claim.session();
        var crowded = memory.crowded(session);
        if (crowded.size() > 1) {
            return anyhow(look);
        }
        var choice = choice(crowded, look.window, false);
        var marks = marks(crowded);
        var limit = choice.limit();
        int busy = crowded.isEmpty() ? memory.busy(session) : Math.max(1, choice.gates().size());
        var found = new FoundWork();
        query(ClaimMemory.Form.COUNTED, look, marks)
                .set("busy", busy)
                .set("shut_gates", Claimed.GATES)
                .ints("front_gates", choice.gates(), LaneGate::gate)
                .set("limit_rank", limit.rank())
                .set("limit_fresh", limit.fresh())
                .set("limit_seq", limit.seq())
                .each(found::addCounted);
        if (found.intricate()) {
            memory.needs(session, ClaimMemory.Form.ANY);
            return anyhow(look);
        }
        var round = round(look, marks, found);
        if (crowded.isEmpty()) {
            memory.sawBusy(session, found.busy());
            return round;
        }
        if (!round.welcome()) {
            return round;
        }
        postgres.crowds().full(choice, found.full());
        postgres.crowds().begin(found.seen(), found.fronts(), found.full());
        return round.taken() ? round.orMore(!choice.everything()) : anyhow(look);
    }

    /**
     * By the statement for everything, as often as it says that something has to be known first:
     * gates that must be judged, or which gates of a crowded lane come first.
     */
    private ClaimRound anyhow(Look look) {
        var session = look.claim.session();
        int gates = look.window;
        boolean nothing = false;
        while (true) {
            var crowded = memory.crowded(session);
            var choice = choice(crowded, gates, nothing);
            var marks = marks(crowded);
            var found = asked(look, choice, marks);
            if (!found.crowd().isEmpty()) {
                memory.crowded(session, found.crowd());
                memory.needs(session, ClaimMemory.Form.COUNTED);
                continue;
            }
            if (!found.unjudged().isEmpty()) {
                fits.judge(postgres, session, Capabilities.of(found.offers()), found.unjudged());
                continue;
            }
            var round = round(look, marks, found);
            memory.sawCounting(session, found.counts() || !crowded.isEmpty());
            if (crowded.isEmpty() || !round.welcome()) {
                return round;
            }
            postgres.crowds().taken(found.places());
            postgres.crowds().full(choice, found.full());
            if (found.taken() < look.max()) {
                postgres.crowds().exhausted(choice, found.seen());
            }
            if (round.taken()) {
                return round.orMore(!choice.everything());
            }
            if (!choice.everything()) {
                gates *= 8;
            } else if (!nothing) {
                // Before it says that there is nothing it looks again at where work begins.
                nothing = true;
                gates = look.window;
            } else {
                return round;
            }
        }
    }

    private Choice choice(Set<Integer> crowded, int gates, boolean nothing) {
        return crowded.isEmpty() ? Choice.NONE : postgres.crowds().choose(crowded, gates, nothing);
    }

    /** Marks are of no use where the fronts of a lane say where to look. */
    private LowWaterMarks.Look marks(Set<Integer> crowded) {
        return crowded.isEmpty() ? postgres.marks().look() : LowWaterMarks.EVERYWHERE;
    }

    private FoundWork asked(Look look, Choice choice, LowWaterMarks.Look marks) {
        var fit = fits.of(look.claim.session());
        var starts = laneTurns.starts();
        var found = new FoundWork();
        query(ClaimMemory.Form.ANY, look, marks)
                .set("ttl", look.ttl)
                .ints("fitting", fit.fitting(), gate -> gate)
                .ints("unfitting", fit.unfitting(), gate -> gate)
                .set("shut_gates", Claimed.GATES)
                .set("widest", WIDEST)
                .ints("crowded", choice.lanes(), lane -> lane)
                .longs("limit_ranks", choice.limits(), p -> p == null ? null : p.rank())
                .booleans("limit_freshs", choice.limits(), p -> p == null || p.fresh())
                .longs("limit_seqs", choice.limits(), p -> p == null ? null : p.seq())
                .ints("front_lanes", choice.gates(), LaneGate::lane)
                .ints("front_gates", choice.gates(), LaneGate::gate)
                .set("pass", starts.pass())
                .ints("pass_lanes", starts.lanes().keySet(), lane -> lane)
                .doubles("pass_starts", starts.lanes().values(), start -> start)
                .each(
                        row -> {
                            found.addAny(row, look.ttl != null);
                            if (row.uuidOrNull("id") != null) {
                                laneTurns.taken(
                                        row.intValue("lane"),
                                        row.doubleValue("turn"),
                                        row.intValue("weight"));
                            }
                        });
        return found;
    }

    private Query query(ClaimMemory.Form form, Look look, LowWaterMarks.Look marks) {
        var stretches = marks.stretches();
        return postgres.db()
                .query(form.statement)
                .set("session", look.claim.session().uuid())
                .set("number", look.claim.number())
                .set("now", postgres.now())
                .set("max", look.max())
                .set("window", look.window)
                .set("most_gates", CrowdedLanes.MOST_GATES)
                .ints("stretch_lanes", stretches, stretch -> stretch.gate().lane())
                .ints("stretch_gates", stretches, stretch -> stretch.gate().gate())
                .longs("from_ranks", stretches, stretch -> stretch.from().rank())
                .booleans("from_freshs", stretches, stretch -> stretch.from().fresh())
                .longs("from_seqs", stretches, stretch -> stretch.from().seq())
                .longs("to_ranks", stretches, LowWaterMarks.Stretch::toRank);
    }

    private ClaimRound round(Look look, LowWaterMarks.Look marks, FoundWork found) {
        postgres.marks().taken(marks, found.places());
        var session = look.claim.session();
        var read = found.reader().read(postgres.db(), postgres.catalog(), session);
        Quarantine.putAside(postgres, session, read.unreadable());
        boolean fewer = found.taken() < look.max();
        return new ClaimRound(
                read.leases(),
                found.grants(),
                found.shut(),
                read.unreadable().size(),
                found.welcome(),
                !read.unreadable().isEmpty()
                        || (fewer && (found.candidates() >= look.window || found.refused())));
    }
}
