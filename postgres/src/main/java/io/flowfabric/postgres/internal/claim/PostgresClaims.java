package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.Catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.ConstraintViolation;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.CrowdedLanes.Choice;
import io.flowfabric.postgres.internal.ready.LowWaterMarks;
import io.flowfabric.postgres.internal.session.PostgresSessions;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Which work a worker gets: one statement picks, leases, writes the receipt and the events. */
public final class PostgresClaims implements Claims {
    /** What an execution says that was put aside because it cannot be read. */
    public static final String UNREADABLE = "what is stored of it cannot be read by this version";

    private static final Logger log = LoggerFactory.getLogger(PostgresClaims.class);

    /** How many more are looked at than are wanted, for those that others are taking right now. */
    private static final int SLACK = 24;

    private static final int WIDEST = 10_000;

    private final PostgresContext postgres;
    private final LaneTurns turns = new LaneTurns();
    private final CapabilityCache fits = new CapabilityCache();
    private final ClaimMemory memory = new ClaimMemory();

    public PostgresClaims(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public Claimed claim(Claim claim) {
        return given(claim, null)
                .map(given -> new Claimed(given.leases, given.shut))
                .orElseGet(() -> Claimed.of(held(claim.session(), claim.number())));
    }

    /** Picks as a claim does, and grants what it picked. */
    public List<GrantStub> grant(Claim claim, Duration ttl) {
        return given(claim, ttl.toMillis())
                .map(Given::grants)
                .orElseGet(() -> granted(claim.session(), claim.number()));
    }

    /** What a claim was given, leases or grants, and what it met that was shut. */
    private record Given(List<Lease> leases, List<GrantStub> grants, Set<AdmissionBlock> shut) {
        int size() {
            return leases.size() + grants.size();
        }
    }

    /** Nothing, when the number was heard before or the session is dead. */
    private Optional<Given> given(Claim claim, @Nullable Long ttl) {
        try {
            var given = givenAnew(claim, ttl);
            if (claim.repeated() && given.isPresent() && given.get().size() == 0) {
                answerOnce(claim);
            }
            return given;
        } catch (ConstraintViolation used) {
            // Another call under this number was first.
            if (used.unique() && used.table().equals("receipt")) {
                return Optional.empty();
            }
            throw used;
        }
    }

    /**
     * Sees to it that the number leads to nothing any more. The call that is repeated may still be
     * on its way: then one of the two finds the number used, and this one waits to know which.
     */
    private void answerOnce(Claim claim) {
        postgres.db()
                .query("receipt_of_nothing")
                .set("session", claim.session().uuid())
                .set("number", claim.number())
                .update();
    }

    private Optional<Given> givenAnew(Claim claim, @Nullable Long ttl) {
        var given = new Given(new ArrayList<>(), new ArrayList<>(), new HashSet<>());
        int wanted = claim.max();
        boolean again = false;
        boolean welcome = true;
        for (int window = wanted + SLACK; wanted > 0 && window <= WIDEST; window *= 4) {
            var look = new Look(claim, ttl, wanted, window, again);
            var round = ttl == null && !again ? cheaply(look) : anyhow(look);
            given.leases.addAll(round.given.leases);
            given.grants.addAll(round.given.grants);
            // A later look would meet what this claim itself has filled.
            if (!again) {
                given.shut.clear();
                given.shut.addAll(round.given.shut);
            }
            again |= round.taken > 0;
            welcome = round.welcome;
            // Others are taking what was in sight, and there is more behind it.
            boolean blocked = round.taken < wanted && round.candidates >= window;
            if (round.unreadable == 0 && !blocked) {
                break;
            }
            wanted = claim.max() - given.size();
        }
        return welcome || again ? Optional.of(given) : Optional.empty();
    }

    /**
     * One look at what is ready.
     *
     * @param ttl how long grants hold; null: leases are given
     * @param max how many are taken at most
     * @param window how many are looked at
     * @param again whether the claim has been given something before
     */
    private record Look(Claim claim, @Nullable Long ttl, int max, int window, boolean again) {
        /** What is left of it once some were taken. */
        Look after(int taken) {
            return new Look(claim, ttl, max - taken, window, again || taken > 0);
        }
    }

    private record Round(Given given, int taken, int unreadable, long candidates, boolean welcome) {
        static final Round NOTHING =
                new Round(new Given(List.of(), List.of(), Set.of()), 0, 0, 0, true);

        /** Both of them, as if they were one that has seen all that there was. */
        Round and(Round later) {
            var all = new Given(new ArrayList<>(), new ArrayList<>(), new HashSet<>());
            for (var part : List.of(given, later.given)) {
                all.leases.addAll(part.leases);
                all.grants.addAll(part.grants);
                all.shut.addAll(part.shut);
            }
            return new Round(
                    all,
                    taken + later.taken,
                    unreadable + later.unreadable,
                    later.candidates,
                    later.welcome);
        }
    }

    /** By the cheapest statement that is not known not to do. */
    private Round cheaply(Look look) {
        var session = look.claim.session();
        var form = memory.form(session);
        if (form == ClaimMemory.Form.PLAIN) {
            var marks = postgres.marks().look();
            var found = new FoundWork();
            query(form, look, look.max, marks).each(found::addPlain);
            if (!found.intricate()) {
                return round(look, marks, found);
            }
            form = ClaimMemory.Form.COUNTED;
            memory.needs(session, form);
        }
        return form == ClaimMemory.Form.COUNTED ? counted(look) : anyhow(look);
    }

    /** By the statement for work that counts, and where it finds too little by that for any. */
    private Round counted(Look look) {
        var session = look.claim.session();
        var crowded = memory.crowded(session);
        var choice =
                crowded.isEmpty()
                        ? Choice.NONE
                        : postgres.crowds().choose(crowded, look.window, false);
        var marks = crowded.isEmpty() ? postgres.marks().look() : LowWaterMarks.EVERYWHERE;
        var limit = choice.limit();
        int busy = crowded.isEmpty() ? memory.busy(session) : Math.max(1, choice.gates().size());
        var found = new FoundWork();
        query(ClaimMemory.Form.COUNTED, look, look.max, marks)
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
            memory.saw(session, found.busy());
            return round;
        }
        postgres.crowds().seen(choice, found.fronts(), found.full());
        return round.taken >= look.max || round.unreadable > 0
                ? round
                : round.and(anyhow(look.after(round.taken)));
    }

    /**
     * By the statement for everything, as often as it says that something has to be known first:
     * gates that must be judged, or which gates of a crowded lane come first.
     */
    private Round anyhow(Look look) {
        var session = look.claim.session();
        var sum = Round.NOTHING;
        int gates = look.window;
        boolean nothing = false;
        while (true) {
            var crowded = memory.crowded(session);
            var choice =
                    crowded.isEmpty()
                            ? Choice.NONE
                            : postgres.crowds().choose(crowded, gates, nothing);
            var marks = crowded.isEmpty() ? postgres.marks().look() : LowWaterMarks.EVERYWHERE;
            var found =
                    asked(look, choice, marks, look.max - sum.taken, look.again || sum.taken > 0);
            if (!found.crowd().isEmpty()) {
                memory.crowded(session, found.crowd());
                memory.needs(session, ClaimMemory.Form.COUNTED);
            } else if (!found.unjudged().isEmpty()) {
                fits.judge(postgres, session, Capabilities.of(found.offers()), found.unjudged());
            } else {
                sum = sum.and(round(look, marks, found));
                postgres.crowds().taken(found.places());
                postgres.crowds().full(choice, found.full());
                if (crowded.isEmpty() || sum.taken >= look.max || sum.unreadable > 0) {
                    return sum;
                }
                postgres.crowds().exhausted(choice);
                if (!choice.everything()) {
                    gates *= 8;
                } else if (sum.taken == 0 && !nothing) {
                    // Before it says that there is nothing it looks again at where work begins.
                    nothing = true;
                    gates = look.window;
                } else {
                    return sum;
                }
            }
        }
    }

    private FoundWork asked(
            Look look, Choice choice, LowWaterMarks.Look marks, int max, boolean again) {
        var fit = fits.of(look.claim.session());
        var starts = turns.starts();
        var found = new FoundWork();
        query(ClaimMemory.Form.ANY, look, max, marks)
                .set("again", again)
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
                                turns.taken(
                                        row.intValue("lane"),
                                        row.doubleValue("turn"),
                                        row.intValue("weight"));
                            }
                        });
        return found;
    }

    private Query query(ClaimMemory.Form form, Look look, int max, LowWaterMarks.Look marks) {
        return postgres.db()
                .query(form.statement)
                .set("now", postgres.now())
                .set("session", look.claim.session().uuid())
                .set("number", look.claim.number())
                .set("max", max)
                .set("window", look.window)
                .set("most_gates", CrowdedLanes.MOST_GATES)
                .ints("stretch_lanes", marks.stretches(), LowWaterMarks.Stretch::lane)
                .ints("stretch_gates", marks.stretches(), LowWaterMarks.Stretch::gate)
                .longs("from_ranks", marks.stretches(), LowWaterMarks.Stretch::fromRank)
                .booleans("from_freshs", marks.stretches(), LowWaterMarks.Stretch::fromFresh)
                .longs("from_seqs", marks.stretches(), LowWaterMarks.Stretch::fromSeq)
                .longs("to_ranks", marks.stretches(), LowWaterMarks.Stretch::toRank)
                .booleans("to_freshs", marks.stretches(), LowWaterMarks.Stretch::toFresh);
    }

    private Round round(Look look, LowWaterMarks.Look marks, FoundWork found) {
        postgres.marks().taken(marks, found.places());
        var session = look.claim.session();
        var read = found.reader().read(postgres.db(), postgres.catalog(), session);
        quarantine(session, read.unreadable());
        return new Round(
                new Given(read.leases(), found.grants(), found.shut()),
                found.taken(),
                read.unreadable().size(),
                found.candidates(),
                found.welcome());
    }

    /** One bad row never stops a claim: it is put aside for an operator, and the others go on. */
    public void quarantine(SessionId session, List<UUID> executions) {
        if (executions.isEmpty()) {
            return;
        }
        log.error("These executions cannot be read, and are held for an operator: {}", executions);
        postgres.db()
                .query("quarantine")
                .set("session", session.uuid())
                .set("detail", UNREADABLE)
                .uuids("ids", executions, id -> id)
                .update();
    }

    /** What is still held of what was leased to a session under a number that it repeats. */
    public List<Lease> held(SessionId session, long number) {
        mustBeRepeatable(session, number);
        var reader = new LeaseReader();
        postgres.db()
                .query("receipt_leases")
                .set("session", session.uuid())
                .set("number", number)
                .each(reader::add);
        return reader.read(postgres.db(), postgres.catalog(), session).leases();
    }

    private List<GrantStub> granted(SessionId session, long number) {
        mustBeRepeatable(session, number);
        return postgres.db()
                .query("receipt_grants")
                .set("now", postgres.now())
                .set("session", session.uuid())
                .set("number", number)
                .list(GrantStub::of);
    }

    private void mustBeRepeatable(SessionId session, long number) {
        var known = PostgresSessions.find(postgres, session);
        if (known.isEmpty() || !known.get().alive()) {
            throw new NotFound("session", session.toString());
        }
        if (number <= known.get().acknowledged()) {
            throw new Invalid(
                    Invalid.Code.CLAIM_NUMBER_USED,
                    "claim number",
                    "%d was acknowledged by a heartbeat; claim with a higher one."
                            .formatted(number));
        }
    }
}
