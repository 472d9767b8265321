package io.flowfabric.postgres;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Which work a worker gets: one statement picks, leases, writes the receipt and the events. */
final class PostgresClaims implements Claims {
    private static final Logger log = LoggerFactory.getLogger(PostgresClaims.class);

    /** How many more are looked at than are wanted, for those that others are taking right now. */
    private static final int SLACK = 24;

    private static final int WIDEST = 10_000;

    private final PostgresContext postgres;
    private final Turns turns = new Turns();
    private final CapabilityCache fits = new CapabilityCache();

    PostgresClaims(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public Claimed ask(Claim claim) {
        return given(claim, null)
                .map(given -> new Claimed(given.leases, given.shut))
                .orElseGet(() -> Claimed.of(held(claim.session(), claim.number())));
    }

    /** Picks as a claim does, and grants what it picked. */
    List<PostgresGrants.Stub> grant(Claim claim, Duration ttl) {
        return given(claim, ttl.toMillis())
                .map(Given::grants)
                .orElseGet(() -> granted(claim.session(), claim.number()));
    }

    /** What a claim was given, leases or grants, and what it met that was shut. */
    private record Given(
            List<Lease> leases, List<PostgresGrants.Stub> grants, Set<AdmissionBlock> shut) {
        int size() {
            return leases.size() + grants.size();
        }
    }

    /** Nothing, when the number was heard before or the session is dead. */
    private Optional<Given> given(Claim claim, @Nullable Long ttl) {
        try {
            return givenAnew(claim, ttl);
        } catch (RuntimeException e) {
            // The same claim was made twice at the same moment, and the other one was first.
            if (Failures.nullRefused(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Optional<Given> givenAnew(Claim claim, @Nullable Long ttl) {
        var given = new Given(new ArrayList<>(), new ArrayList<>(), new HashSet<>());
        int wanted = claim.max();
        boolean again = false;
        boolean welcome = true;
        for (int window = wanted + SLACK; wanted > 0 && window <= WIDEST; window *= 4) {
            var round = round(claim, ttl, wanted, window, again);
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

    private record Round(
            Given given, int taken, int unreadable, long candidates, boolean welcome) {}

    private Round round(Claim claim, @Nullable Long ttl, int max, int window, boolean again) {
        while (true) {
            var round = tried(claim, ttl, max, window, again);
            if (round.isPresent()) {
                return round.get();
            }
        }
    }

    /** Empty when there were gates that had to be judged first; then nothing was taken. */
    private Optional<Round> tried(
            Claim claim, @Nullable Long ttl, int max, int window, boolean again) {
        var fit = fits.of(claim.session());
        var unjudged = new ArrayList<Integer>();
        var offers = new ArrayList<String>();
        var reader = new LeaseReader();
        var grants = new ArrayList<PostgresGrants.Stub>();
        var starts = turns.starts();
        var look = postgres.marks().look();
        var places = new ArrayList<LowWaterMarks.Place>();
        var shut = new HashSet<AdmissionBlock>();
        var candidates = new long[1];
        var welcome = new boolean[1];
        int[] taken = new int[1];
        postgres.db()
                .query("claim")
                .set("now", postgres.now())
                .set("session", claim.session().uuid())
                .set("number", claim.number())
                .set("again", again)
                .set("ttl", ttl)
                .set("max", max)
                .set("window", window)
                .ints("stretch_lanes", look.stretches(), LowWaterMarks.Stretch::lane)
                .ints("stretch_gates", look.stretches(), LowWaterMarks.Stretch::gate)
                .longs("from_ranks", look.stretches(), LowWaterMarks.Stretch::fromRank)
                .booleans("from_freshs", look.stretches(), LowWaterMarks.Stretch::fromFresh)
                .longs("from_seqs", look.stretches(), LowWaterMarks.Stretch::fromSeq)
                .longs("to_ranks", look.stretches(), LowWaterMarks.Stretch::toRank)
                .booleans("to_freshs", look.stretches(), LowWaterMarks.Stretch::toFresh)
                .ints("fitting", fit.fitting(), gate -> gate)
                .ints("unfitting", fit.unfitting(), gate -> gate)
                .set("shut_gates", Claimed.GATES)
                .set("pass", starts.pass())
                .ints("pass_lanes", starts.lanes().keySet(), lane -> lane)
                .doubles("pass_starts", starts.lanes().values(), start -> start)
                .each(
                        row -> {
                            candidates[0] = row.longValue("candidates");
                            welcome[0] = row.bool("welcome");
                            addShut(row, shut);
                            if (row.uuidOrNull("id") == null) {
                                unjudged.addAll(List.of(row.ints("unjudged")));
                                if (!unjudged.isEmpty()) {
                                    offers.addAll(List.of(row.texts("offers")));
                                }
                                return;
                            }
                            if (ttl == null) {
                                reader.add(row);
                            } else {
                                grants.add(PostgresGrants.Stub.of(row));
                            }
                            turns.taken(
                                    row.intValue("lane"),
                                    row.doubleValue("turn"),
                                    row.intValue("weight"));
                            places.add(
                                    new LowWaterMarks.Place(
                                            row.intValue("lane"),
                                            row.intValue("gate"),
                                            row.longValue("rank"),
                                            row.bool("fresh"),
                                            row.longValue("seq")));
                            taken[0]++;
                        });
        if (!unjudged.isEmpty()) {
            fits.judge(postgres, claim.session(), Capabilities.of(offers), unjudged);
            return Optional.empty();
        }
        postgres.marks().taken(look, places);
        var read = reader.read(postgres.db(), postgres.catalog(), claim.session());
        quarantine(claim.session(), read.unreadable());
        return Optional.of(
                new Round(
                        new Given(read.leases(), grants, shut),
                        taken[0],
                        read.unreadable().size(),
                        candidates[0],
                        welcome[0]));
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
    void quarantine(SessionId session, List<UUID> executions) {
        if (executions.isEmpty()) {
            return;
        }
        log.error("These executions cannot be read, and are held for an operator: {}", executions);
        postgres.db()
                .query("quarantine")
                .set("session", session.uuid())
                .set("detail", "what is stored of it cannot be read by this version")
                .uuids("ids", executions, id -> id)
                .update();
    }

    /** What is still held of what was leased to a session under a number that it repeats. */
    List<Lease> held(SessionId session, long number) {
        mustBeRepeatable(session, number);
        var reader = new LeaseReader();
        postgres.db()
                .query("receipt_leases")
                .set("session", session.uuid())
                .set("number", number)
                .each(reader::add);
        return reader.read(postgres.db(), postgres.catalog(), session).leases();
    }

    private List<PostgresGrants.Stub> granted(SessionId session, long number) {
        mustBeRepeatable(session, number);
        return postgres.db()
                .query("receipt_grants")
                .set("now", postgres.now())
                .set("session", session.uuid())
                .set("number", number)
                .list(PostgresGrants.Stub::of);
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
