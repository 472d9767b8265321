package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.postgres.internal.catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.EntryPlace;
import io.flowfabric.postgres.internal.ready.QueuePosition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the rows of a statement that claims say. There is a row at least; what is not about one
 * execution stands in every row.
 */
final class FoundWork {
    private final LeaseReader reader = new LeaseReader();
    private final List<GrantStub> grants = new ArrayList<>();
    private final List<EntryPlace> places = new ArrayList<>();
    private final Set<AdmissionBlock> shut = new HashSet<>();
    private final List<Integer> unjudged = new ArrayList<>();
    private final List<Integer> crowd = new ArrayList<>();
    private final List<CrowdedLanes.Full> full = new ArrayList<>();
    private final Map<LaneGate, QueuePosition> fronts = new HashMap<>();
    private final List<String> offers = new ArrayList<>();
    private final Set<LaneGate> seenGates = new HashSet<>();
    private int taken;
    private boolean seen;
    private boolean refused;
    private boolean counts;
    private boolean intricate;
    private boolean welcome;
    private long candidates;
    private int busy = 1;

    /** A row of {@code claim}. */
    void addPlain(Row row) {
        counts = row.bool("counts");
        addOfOneLane(row);
    }

    private void addOfOneLane(Row row) {
        intricate = row.bool("intricate");
        if (add(row)) {
            places.add(EntryPlace.of(row));
            reader.add(row);
        }
    }

    /** A row of {@code claim_counted}. */
    void addCounted(Row row) {
        if (!seen) {
            busy = row.intValue("busy");
            refused = row.bool("refused");
            addShut(row);
            addFronts(row);
        }
        addOfOneLane(row);
    }

    /** A row of {@code claim_any}. */
    void addAny(Row row, boolean granting) {
        if (!seen) {
            refused = row.bool("refused");
            counts = row.bool("counts");
            addShut(row);
            addSeen(row);
            addFull(row);
            crowd.addAll(List.of(row.ints("crowd")));
            unjudged.addAll(List.of(row.ints("to_match")));
            if (!unjudged.isEmpty()) {
                offers.addAll(List.of(row.texts("offers")));
            }
        }
        if (add(row)) {
            if (!row.bool("varies")) {
                places.add(EntryPlace.of(row));
            }
            if (granting) {
                grants.add(GrantStub.of(row));
            } else {
                reader.add(row);
            }
        }
    }

    /** Returns whether it is about an execution. */
    private boolean add(Row row) {
        seen = true;
        candidates = row.longValue("candidates");
        welcome = row.bool("may_claim");
        boolean execution = row.uuidOrNull("id") != null;
        taken += execution ? 1 : 0;
        return execution;
    }

    private void addShut(Row row) {
        for (String word : row.texts("shut")) {
            shut.add(
                    switch (word) {
                        case "rate" -> AdmissionBlock.Quota.RATE;
                        case "concurrency" -> AdmissionBlock.Quota.CONCURRENCY;
                        default -> new AdmissionBlock.Budget(word.substring("budget ".length()));
                    });
        }
    }

    private void addFronts(Row row) {
        int lane = row.intValue("serving");
        var gates = row.ints("front_gates");
        var ranks = row.longs("front_ranks");
        var freshs = row.ints("front_freshs");
        var seqs = row.longs("front_seqs");
        for (int i = 0; i < gates.length; i++) {
            fronts.put(
                    new LaneGate(lane, gates[i]),
                    new QueuePosition(ranks[i], freshs[i] == 1, seqs[i]));
        }
        for (int gate : row.ints("seen_gates")) {
            seenGates.add(new LaneGate(lane, gate));
        }
        var full = row.ints("full_gates");
        var meters = row.texts("full_meters");
        for (int i = 0; i < full.length; i++) {
            addFull(lane, full[i], meters[i]);
        }
    }

    private void addSeen(Row row) {
        var gates = row.ints("seen_gates");
        var lanes = row.ints("seen_lanes");
        for (int i = 0; i < gates.length; i++) {
            seenGates.add(new LaneGate(lanes[i], gates[i]));
        }
    }

    private void addFull(Row row) {
        var gates = row.ints("full_gates");
        var lanes = row.ints("full_lanes");
        var meters = row.texts("full_meters");
        for (int i = 0; i < gates.length; i++) {
            addFull(lanes[i], gates[i], meters[i]);
        }
    }

    private void addFull(int lane, int gate, String meters) {
        var numbers = meters.substring(1, meters.length() - 1).split(",");
        full.add(
                new CrowdedLanes.Full(
                        new LaneGate(lane, gate),
                        Stream.of(numbers).map(Integer::valueOf).collect(Collectors.toSet())));
    }

    LeaseReader reader() {
        return reader;
    }

    List<GrantStub> grants() {
        return grants;
    }

    /** How many were taken. */
    int taken() {
        return taken;
    }

    /**
     * Where what was taken stood in its lane. Where amounts vary it is left out: in front of it may
     * be what was passed over because it reserves more than was left.
     */
    List<EntryPlace> places() {
        return places;
    }

    Set<AdmissionBlock> shut() {
        return shut;
    }

    /** Gates that must be judged before anything is taken, for a session that offers this. */
    List<Integer> unjudged() {
        return unjudged;
    }

    List<String> offers() {
        return offers;
    }

    /** Lanes with too many gates, whose first ones must be named before anything is taken. */
    List<Integer> crowd() {
        return crowd;
    }

    /** Gates of crowded lanes behind which nothing may start for now. */
    List<CrowdedLanes.Full> full() {
        return full;
    }

    /** The gates of crowded lanes that were looked behind: those that the session may pass. */
    Set<LaneGate> seen() {
        return seenGates;
    }

    /** Whether work was left because the rest of what was in sight would fill a quota or budget. */
    boolean refused() {
        return refused;
    }

    /** Whether anything that the session can be given counts against something, ready or not. */
    boolean counts() {
        return counts;
    }

    /** Where work behind gates of a crowded lane begins from now on. */
    Map<LaneGate, QueuePosition> fronts() {
        return fronts;
    }

    /** Whether the statement met what it does not do, and took nothing. */
    boolean intricate() {
        return intricate;
    }

    /** Whether the session lives and the number was not heard before. */
    boolean welcome() {
        return welcome;
    }

    long candidates() {
        return candidates;
    }

    int busy() {
        return busy;
    }
}
