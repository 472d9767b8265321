package io.flowfabric.postgres;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.contract.Claimed;
import io.flowfabric.core.contract.Claims;
import io.flowfabric.core.contract.Lease;
import io.flowfabric.core.contract.Shut;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.postgres.jdbc.Failures;
import io.flowfabric.postgres.jdbc.Row;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Which work a worker gets: one statement picks, leases, writes the receipt and the events. */
final class Claiming implements Claims {
    private static final Logger log = LoggerFactory.getLogger(Claiming.class);

    /** How many more are looked at than are wanted, for those that others are taking right now. */
    private static final int SLACK = 24;

    private static final int WIDEST = 10_000;

    private final Postgres postgres;
    private final Turns turns = new Turns();
    private final Fits fits = new Fits();

    Claiming(Postgres postgres) {
        this.postgres = postgres;
    }

    @Override
    public Claimed ask(Claim claim) {
        try {
            return claimAnew(claim);
        } catch (RuntimeException e) {
            // The same claim was made twice at the same moment, and the other one was first.
            if (Failures.nullRefused(e)) {
                return Claimed.of(repeated(claim));
            }
            throw e;
        }
    }

    private Claimed claimAnew(Claim claim) {
        var leases = new ArrayList<Lease>();
        Set<Shut> shut = Set.of();
        int wanted = claim.max();
        boolean again = false;
        boolean welcome = true;
        for (int window = wanted + SLACK; wanted > 0 && window <= WIDEST; window *= 4) {
            var round = round(claim, wanted, window, again);
            leases.addAll(round.leases);
            // A later look would meet what this claim itself has filled.
            shut = again ? shut : round.shut;
            again |= round.taken > 0;
            welcome = round.welcome;
            // Others are taking what was in sight, and there is more behind it.
            boolean blocked = round.taken < wanted && round.candidates >= window;
            if (round.unreadable == 0 && !blocked) {
                break;
            }
            wanted = claim.max() - leases.size();
        }
        return welcome || again ? new Claimed(leases, shut) : Claimed.of(repeated(claim));
    }

    private record Round(
            List<Lease> leases,
            int taken,
            int unreadable,
            long candidates,
            boolean welcome,
            Set<Shut> shut) {}

    private Round round(Claim claim, int max, int window, boolean again) {
        while (true) {
            var round = tried(claim, max, window, again);
            if (round.isPresent()) {
                return round.get();
            }
        }
    }

    /** Empty when there were gates that had to be judged first; then nothing was taken. */
    private Optional<Round> tried(Claim claim, int max, int window, boolean again) {
        var fit = fits.of(claim.session());
        var unjudged = new ArrayList<Integer>();
        var offers = new ArrayList<String>();
        var reader = new LeaseReader();
        var starts = turns.starts();
        var look = postgres.marks().look();
        var places = new ArrayList<Marks.Place>();
        var shut = new HashSet<Shut>();
        var candidates = new long[1];
        var welcome = new boolean[1];
        int[] taken = new int[1];
        postgres.db()
                .query("claim")
                .set("now", postgres.now())
                .set("session", claim.session().uuid())
                .set("number", claim.number())
                .set("again", again)
                .set("max", max)
                .set("window", window)
                .ints("stretch_lanes", look.stretches(), Marks.Stretch::lane)
                .ints("stretch_gates", look.stretches(), Marks.Stretch::gate)
                .longs("from_ranks", look.stretches(), Marks.Stretch::fromRank)
                .booleans("from_freshs", look.stretches(), Marks.Stretch::fromFresh)
                .longs("from_seqs", look.stretches(), Marks.Stretch::fromSeq)
                .longs("to_ranks", look.stretches(), Marks.Stretch::toRank)
                .booleans("to_freshs", look.stretches(), Marks.Stretch::toFresh)
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
                            reader.add(row);
                            turns.taken(
                                    row.intValue("lane"),
                                    row.doubleValue("turn"),
                                    row.intValue("weight"));
                            places.add(
                                    new Marks.Place(
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
        if (!read.unreadable().isEmpty()) {
            quarantine(claim.session(), read.unreadable());
        }
        return Optional.of(
                new Round(
                        read.leases(),
                        taken[0],
                        read.unreadable().size(),
                        candidates[0],
                        welcome[0],
                        shut));
    }

    /** The same in every row, so that the first one says it all. */
    private static void addShut(Row row, Set<Shut> shut) {
        if (shut.isEmpty()) {
            for (String word : row.texts("shut")) {
                shut.add(
                        switch (word) {
                            case "rate" -> Shut.Quota.RATE;
                            case "concurrency" -> Shut.Quota.CONCURRENCY;
                            default -> new Shut.Budget(word.substring("budget ".length()));
                        });
            }
        }
    }

    /** One bad row never stops a claim: it is put aside for an operator, and the others go on. */
    private void quarantine(SessionId session, List<UUID> executions) {
        log.error("These executions cannot be read, and are held for an operator: {}", executions);
        postgres.db()
                .query("quarantine")
                .set("session", session.uuid())
                .set("detail", "what is stored of it cannot be read by this version")
                .uuids("ids", executions, id -> id)
                .update();
    }

    /** Nothing was given, because the number was heard before, or the session is dead. */
    private List<Lease> repeated(Claim claim) {
        var session = SessionKeeping.find(postgres, claim.session());
        if (session.isEmpty() || !session.get().alive()) {
            throw new NotFound("session", claim.session().toString());
        }
        if (claim.number() <= session.get().acknowledged()) {
            throw new Invalid(
                    Invalid.Code.CLAIM_NUMBER_USED,
                    "claim number",
                    "%d was acknowledged by a heartbeat; claim with a higher one."
                            .formatted(claim.number()));
        }
        var reader = new LeaseReader();
        postgres.db()
                .query("receipt_leases")
                .set("session", claim.session().uuid())
                .set("number", claim.number())
                .each(reader::add);
        return reader.read(postgres.db(), postgres.catalog(), claim.session()).leases();
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
