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
                .map(round -> new Claimed(round.leases, round.shut, round.more))
                .orElseGet(() -> Claimed.of(held(claim.session(), claim.number())));
    }

    /** Picks as a claim does, and grants what it picked. */
    public List<GrantStub> grant(Claim claim, Duration ttl) {
        return given(claim, ttl.toMillis())
                .map(Round::grants)
                .orElseGet(() -> granted(claim.session(), claim.number()));
    }

    /** Nothing, when the number was heard before or the session is dead. */
    private Optional<Round> given(Claim claim, @Nullable Long ttl) {
        try {
            if (claim.repeated()) {
                query("await_claim", claim).optional(row -> claim);
            }
            var given = givenAnew(claim, ttl);
            if (claim.repeated() && given.isPresent() && given.get().size() == 0) {
                // The call that is repeated may still arrive, and must not be heard then.
                query("receipt_of_nothing", claim).update();
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
     * Looks until it was given something, which is what its receipt says, or there is nothing:
     * further where others are taking what was in sight, and again where nothing of it could be
     * read.
     */
    private Optional<Round> givenAnew(Claim claim, @Nullable Long ttl) {
        for (int window = claim.max() + SLACK; ; window *= 4) {
            var look = new Look(claim, ttl, window);
            var round = ttl == null ? cheaply(look) : anyhow(look);
            if (!round.welcome) {
                return Optional.empty();
            }
            boolean over = !round.more || 4 * window > WIDEST;
            if (round.size() > 0 || over) {
                return Optional.of(round);
            }
            if (round.unreadable > 0) {
                query("free_number", claim).update();
            }
        }
    }

    private Query query(String statement, Claim claim) {
        return postgres.db()
                .query(statement)
                .set("session", claim.session().uuid())
                .set("number", claim.number());
    }

    /**
     * One look at what is ready.
     *
     * @param ttl how long grants hold; null: leases are given
     * @param window how many are looked at
     */
    private record Look(Claim claim, @Nullable Long ttl, int window) {
        int max() {
            return claim.max();
        }
    }

    /**
     * What came of a look.
     *
     * @param shut what was met that was shut
     * @param unreadable how many were taken that could not be read
     * @param welcome whether the session lives and the number was not heard before
     * @param more whether there may be more than was given
     */
    private record Round(
            List<Lease> leases,
            List<GrantStub> grants,
            Set<AdmissionBlock> shut,
            int unreadable,
            boolean welcome,
            boolean more) {
        int size() {
            return leases.size() + grants.size();
        }

        boolean taken() {
            return size() + unreadable > 0;
        }

        Round orMore(boolean alsoMore) {
            return new Round(leases, grants, shut, unreadable, welcome, more || alsoMore);
        }
    }

    /** By the cheapest statement that is not known not to do. */
    private Round cheaply(Look look) {
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
        }
        return form == ClaimMemory.Form.COUNTED ? counted(look) : anyhow(look);
    }

    /** By the statement for work that counts, and where that finds nothing by the one for any. */
    private Round counted(Look look) {
        var session = look.claim.session();
        var crowded = memory.crowded(session);
        if (crowded.size() > 1) {
            return anyhow(look);
        }
        var choice =
                crowded.isEmpty()
                        ? Choice.NONE
                        : postgres.crowds().choose(crowded, look.window, false);
        var marks = crowded.isEmpty() ? postgres.marks().look() : LowWaterMarks.EVERYWHERE;
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
            memory.saw(session, found.busy());
            return round;
        }
        if (!round.welcome) {
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
    private Round anyhow(Look look) {
        var session = look.claim.session();
        int gates = look.window;
        boolean nothing = false;
        while (true) {
            var crowded = memory.crowded(session);
            var choice =
                    crowded.isEmpty()
                            ? Choice.NONE
                            : postgres.crowds().choose(crowded, gates, nothing);
            var marks = crowded.isEmpty() ? postgres.marks().look() : LowWaterMarks.EVERYWHERE;
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
            if (crowded.isEmpty() || !round.welcome) {
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

    private FoundWork asked(Look look, Choice choice, LowWaterMarks.Look marks) {
        var fit = fits.of(look.claim.session());
        var starts = turns.starts();
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
                                turns.taken(
                                        row.intValue("lane"),
                                        row.doubleValue("turn"),
                                        row.intValue("weight"));
                            }
                        });
        return found;
    }

    private Query query(ClaimMemory.Form form, Look look, LowWaterMarks.Look marks) {
        return query(form.statement, look.claim)
                .set("now", postgres.now())
                .set("max", look.max())
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
        boolean fewer = found.taken() < look.max();
        return new Round(
                read.leases(),
                found.grants(),
                found.shut(),
                read.unreadable().size(),
                found.welcome(),
                !read.unreadable().isEmpty()
                        || (fewer && (found.candidates() >= look.window || found.refused())));
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
