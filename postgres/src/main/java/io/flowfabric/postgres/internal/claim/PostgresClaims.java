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
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.CrowdedLanes.Choice;
import io.flowfabric.postgres.internal.ready.LowWaterMarks;
import io.flowfabric.postgres.internal.session.PostgresSessions;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which work a worker gets: one statement picks, leases, writes the receipt and the events. */
public final class PostgresClaims implements Claims {
    /** What an execution says that was put aside because it cannot be read. */
    public static final String UNREADABLE = "what is stored of it cannot be read by this version";

    private static final Logger log = LoggerFactory.getLogger(PostgresClaims.class);

    /** How many more are looked at than are wanted, for those that others are taking right now. */
    private static final int SLACK = 24;

    private static final int WIDEST = 10_000;

    private final PostgresContext postgres;
    private final Turns turns = new Turns();
    private final CapabilityCache fits = new CapabilityCache();
    private final Intricate intricate = new Intricate();
    private final Crowds crowds = new Crowds();

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
            return givenAnew(claim, ttl);
        } catch (ConstraintViolation used) {
            // The same claim was made twice at the same moment, and the other one was first.
            if (used.unique() && used.table().equals("receipt")) {
                return Optional.empty();
            }
            throw used;
        }
    }

    private Optional<Given> givenAnew(Claim claim, @Nullable Long ttl) {
        var given = new Given(new ArrayList<>(), new ArrayList<>(), new HashSet<>());
        int wanted = claim.max();
        boolean again = false;
        boolean welcome = true;
        for (int window = wanted + SLACK; wanted > 0 && window <= WIDEST; window *= 4) {
            var look = new Look(claim, ttl, wanted, window, again);
            var round = ttl == null && !again ? plainly(look) : anyhow(look);
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
    private record Look(Claim claim, @Nullable Long ttl, int max, int window, boolean again) {}

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

    /** By the statement for plain lanes, where that is known to do, or not known not to. */
    private Round plainly(Look look) {
        if (intricate.includes(look.claim.session())) {
            return anyhow(look);
        }
        var marks = postgres.marks().look();
        var found = new Found();
        query("claim", look, look.max, marks)
                .each(
                        row -> {
                            found.intricate = row.bool("intricate");
                            found.add(row);
                        });
        if (found.intricate) {
            intricate.add(look.claim.session());
            return anyhow(look);
        }
        return round(look, marks, found);
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
            var crowded = crowds.of(session);
            var choice =
                    crowded.isEmpty()
                            ? Choice.NONE
                            : postgres.crowds().choose(crowded, gates, nothing);
            var found = asked(look, choice, look.max - sum.taken, look.again || sum.taken > 0);
            if (!found.crowd.isEmpty()) {
                crowds.add(session, found.crowd);
            } else if (!found.unjudged.isEmpty()) {
                fits.judge(postgres, session, Capabilities.of(found.offers), found.unjudged);
            } else {
                sum = sum.and(round(look, crowded.isEmpty() ? found.marks : null, found));
                postgres.crowds().taken(found.places);
                postgres.crowds().full(choice, found.full);
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

    private Found asked(Look look, Choice choice, int max, boolean again) {
        var fit = fits.of(look.claim.session());
        var starts = turns.starts();
        var found = new Found();
        found.marks = choice.lanes().isEmpty() ? postgres.marks().look() : LowWaterMarks.EVERYWHERE;
        query("claim_any", look, max, found.marks)
                .set("again", again)
                .set("ttl", look.ttl)
                .ints("fitting", fit.fitting(), gate -> gate)
                .ints("unfitting", fit.unfitting(), gate -> gate)
                .set("shut_gates", Claimed.GATES)
                .ints("crowded", choice.lanes(), lane -> lane)
                .longs("limit_ranks", choice.limits(), p -> p == null ? null : p.rank())
                .booleans("limit_freshs", choice.limits(), p -> p == null || p.fresh())
                .longs("limit_seqs", choice.limits(), p -> p == null ? null : p.seq())
                .ints("front_lanes", choice.gates(), LaneGate::lane)
                .ints("front_gates", choice.gates(), LaneGate::gate)
                .set("pass", starts.pass())
                .ints("pass_lanes", starts.lanes().keySet(), lane -> lane)
                .doubles("pass_starts", starts.lanes().values(), start -> start)
                .each(row -> foundAnyhow(row, look, found));
        return found;
    }

    private void foundAnyhow(Row row, Look look, Found found) {
        addShut(row, found.shut);
        if (found.full.isEmpty()) {
            found.addFull(row);
        }
        if (row.uuidOrNull("id") == null) {
            found.crowd.addAll(List.of(row.ints("crowd")));
            found.unjudged.addAll(List.of(row.ints("unjudged")));
            if (!found.unjudged.isEmpty()) {
                found.offers.addAll(List.of(row.texts("offers")));
            }
        } else {
            turns.taken(row.intValue("lane"), row.doubleValue("turn"), row.intValue("weight"));
            if (look.ttl != null) {
                found.grants.add(GrantStub.of(row));
            }
        }
        found.add(row);
    }

    private Query query(String statement, Look look, int max, LowWaterMarks.Look marks) {
        return postgres.db()
                .query(statement)
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

    /** What the rows of one look say; there is a row at least. */
    private static final class Found {
        private final LeaseReader reader = new LeaseReader();
        private final List<GrantStub> grants = new ArrayList<>();
        private final List<LowWaterMarks.Place> places = new ArrayList<>();
        private final Set<AdmissionBlock> shut = new HashSet<>();
        private final List<Integer> unjudged = new ArrayList<>();
        private final List<Integer> crowd = new ArrayList<>();
        private final List<CrowdedLanes.Full> full = new ArrayList<>();
        private LowWaterMarks.Look marks = LowWaterMarks.EVERYWHERE;
        private final List<String> offers = new ArrayList<>();
        private boolean intricate;
        private boolean welcome;
        private long candidates;

        void addFull(Row row) {
            var gates = row.ints("full_gates");
            var lanes = row.ints("full_lanes");
            var meters = row.texts("full_meters");
            for (int i = 0; i < gates.length; i++) {
                var numbers = meters[i].substring(1, meters[i].length() - 1).split(",");
                full.add(
                        new CrowdedLanes.Full(
                                new LaneGate(lanes[i], gates[i]),
                                Stream.of(numbers)
                                        .map(Integer::valueOf)
                                        .collect(Collectors.toSet())));
            }
        }

        void add(Row row) {
            candidates = row.longValue("candidates");
            welcome = row.bool("welcome");
            if (row.uuidOrNull("id") == null) {
                return;
            }
            places.add(
                    new LowWaterMarks.Place(
                            row.intValue("lane"),
                            row.intValue("gate"),
                            row.longValue("rank"),
                            row.bool("fresh"),
                            row.longValue("seq")));
            if (grants.isEmpty()) {
                reader.add(row);
            }
        }
    }

    /**
     * @param marks where the look began; none in crowded lanes, which have their fronts
     */
    private Round round(Look look, LowWaterMarks.@Nullable Look marks, Found found) {
        if (marks != null) {
            postgres.marks().taken(marks, found.places);
        }
        var session = look.claim.session();
        var read = found.reader.read(postgres.db(), postgres.catalog(), session);
        quarantine(session, read.unreadable());
        return new Round(
                new Given(read.leases(), found.grants, found.shut),
                found.places.size(),
                read.unreadable().size(),
                found.candidates,
                found.welcome);
    }

    /** The same in every row, so that the first one says it all. */
    private static void addShut(Row row, Set<AdmissionBlock> shut) {
        if (shut.isEmpty()) {
            for (String word : row.texts("shut")) {
                shut.add(
                        switch (word) {
                            case "rate" -> AdmissionBlock.Quota.RATE;
                            case "concurrency" -> AdmissionBlock.Quota.CONCURRENCY;
                            default ->
                                    new AdmissionBlock.Budget(word.substring("budget ".length()));
                        });
            }
        }
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

    /**
     * Sessions whose lanes the statement for plain lanes does not serve, for a while: their lanes
     * may become plain again.
     */
    private static final class Intricate {
        private static final long FOR = Duration.ofSeconds(10).toNanos();
        private static final int REMEMBERED = 1_000;

        private final Map<SessionId, Long> since = new ConcurrentHashMap<>();

        boolean includes(SessionId session) {
            var noticed = since.get(session);
            return noticed != null && System.nanoTime() - noticed < FOR;
        }

        void add(SessionId session) {
            if (since.size() >= REMEMBERED) {
                since.clear();
            }
            since.put(session, System.nanoTime());
        }
    }

    /** Which crowded lanes a session serves, as its claims were told. */
    private static final class Crowds {
        private static final int REMEMBERED = 1_000;

        private final Map<SessionId, Set<Integer>> lanes = new ConcurrentHashMap<>();

        Set<Integer> of(SessionId session) {
            return lanes.getOrDefault(session, Set.of());
        }

        void add(SessionId session, Collection<Integer> crowded) {
            if (lanes.size() >= REMEMBERED) {
                lanes.clear();
            }
            var all = new TreeSet<>(of(session));
            all.addAll(crowded);
            lanes.put(session, all);
        }
    }

    /**
     * Whose turn it is among the lanes: each pick moves a lane on by a step that is the smaller the
     * heavier the lane is. It is kept by each process for itself, so that sharing costs no write.
     */
    private static final class Turns {
        private final Map<Integer, Double> lanes = new HashMap<>();
        private double pass;

        record Starts(double pass, Map<Integer, Double> lanes) {}

        synchronized Starts starts() {
            // A lane that fell behind while it was empty does not catch up.
            lanes.values().removeIf(start -> start <= pass);
            return new Starts(pass, Map.copyOf(lanes));
        }

        synchronized void taken(int lane, double turn, int weight) {
            pass = Math.max(pass, turn);
            lanes.merge(lane, turn + 1.0 / weight, Math::max);
        }
    }
}
