package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;
import io.flowfabric.testkit.history.Acknowledgement.Span;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;
import io.flowfabric.testkit.history.Violation.Kind;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Asks of every claim whose answer was heard whether its leases are in the order of their lanes,
 * and whether lanes that both had more work got their shares of it.
 *
 * <p>Judged are lanes whose work neither ages nor shares, and of them the work whose priority was
 * not changed. What was submitted by calls beside each other has no order.
 */
final class ClaimsCheck {
    private final RunCheck.Notes notes;
    private final Map<ExecutionId, Span> accepted = new HashMap<>();
    private final Set<ExecutionId> reprioritised = new HashSet<>();
    private final Map<Lane, List<LaneSettings>> settings = new HashMap<>();
    private final Map<ExecutionId, List<Step>> steps = new HashMap<>();

    private record Call(Span span, SessionId session) {}

    /** Work that has one order. */
    private record Queue(Lane lane, Object part) {}

    ClaimsCheck(RunCheck.Notes notes) {
        this.notes = notes;
    }

    void check(History history) {
        for (Event event : history.events()) {
            switch (event) {
                case Step step -> {
                    steps.computeIfAbsent(step.execution(), id -> new ArrayList<>()).add(step);
                    if (step.transition() == Transition.REPRIORITISE) {
                        reprioritised.add(step.execution());
                    }
                }
                case Event.LaneChange change ->
                        settings.computeIfAbsent(change.lane(), lane -> new ArrayList<>())
                                .add(change.settings());
                case Event other -> {}
            }
        }
        var calls = new LinkedHashMap<Call, List<Lease>>();
        var heard = new HashSet<Lease>();
        for (var told : history.acknowledged()) {
            switch (told) {
                case WorkAccepted work ->
                        accepted.merge(work.execution(), work.span(), this::first);
                case LeaseGiven given -> {
                    var call = new Call(given.span(), given.lease().session());
                    // A repeated claim says what is left of the first one, in any order.
                    if (heard.add(given.lease())) {
                        calls.computeIfAbsent(call, c -> new ArrayList<>()).add(given.lease());
                    }
                }
                case Acknowledgement other -> {}
            }
        }
        calls.values().forEach(this::inOrder);
        calls.forEach(this::inTurn);
    }

    private Span first(Span one, Span two) {
        return two.before(one) ? two : one;
    }

    private void inOrder(List<Lease> leases) {
        var last = new HashMap<Queue, Lease>();
        for (var lease : leases) {
            if (!ordered(lease)) {
                continue;
            }
            var before = last.put(queue(lease), lease);
            if (before != null && goesFirst(lease, before)) {
                notes.complain(
                        Kind.OUT_OF_ORDER,
                        lease.fence().execution(),
                        "One claim gave it behind %s, and it goes first: priority %d and %d, %s and %s."
                                .formatted(
                                        before.fence().execution(),
                                        lease.policy().priority(),
                                        before.policy().priority(),
                                        lease.next(),
                                        before.next()));
            }
        }
    }

    private Queue queue(Lease lease) {
        return new Queue(lease.lane(), notes.part(lease.fence().execution()));
    }

    /** Whether its place among others is known; tickets are redeemed in any order. */
    private boolean ordered(Lease lease) {
        var life = steps.getOrDefault(lease.fence().execution(), List.of());
        return !reprioritised.contains(lease.fence().execution())
                && life.stream().filter(step -> step.transition() == Transition.SUBMIT).count() == 1
                && !isRedeemed(life, lease)
                && settings.getOrDefault(lease.lane(), List.of()).stream()
                        .noneMatch(lane -> lane.sharing() || lane.ageing().isPresent());
    }

    private static boolean isRedeemed(List<Step> life, Lease lease) {
        var before = Situation.READY;
        for (var step : life) {
            if (step.epoch() == lease.fence().epoch() && step.transition().givesLease()) {
                return before == Situation.GRANTED;
            }
            before = step.now();
        }
        return false;
    }

    /** Whether the second of two leases belongs before the first. */
    private boolean goesFirst(Lease second, Lease first) {
        int higher = Integer.compare(second.policy().priority(), first.policy().priority());
        if (higher != 0) {
            return higher > 0;
        }
        if (second.next().begun() != first.next().begun()) {
            return second.next().begun();
        }
        var earlier = accepted.get(second.fence().execution());
        var submitted = steps.getOrDefault(first.fence().execution(), List.of()).getFirst().at();
        return earlier != null && earlier.ended().at().isBefore(submitted);
    }

    /**
     * Compares how much each of two lanes got for its weight, when both had more that this session
     * could have had: no lane is ahead of another by more than a turn of each, and one that was
     * left over from the claim before.
     */
    private void inTurn(Call call, List<Lease> leases) {
        var taken = new HashMap<Lane, Integer>();
        leases.forEach(lease -> taken.merge(lease.lane(), 1, Integer::sum));
        if (taken.size() < 2) {
            return;
        }
        var full = taken.keySet().stream().filter(lane -> hadMore(call, lane, leases)).toList();
        for (var one : full) {
            for (var two : full) {
                double ahead = turns(taken, one) - turns(taken, two);
                double allowed = 2.0 / weight(one) + 2.0 / weight(two);
                if (ahead > allowed) {
                    notes.complain(
                            Kind.OUT_OF_TURN,
                            call.session,
                            "One claim took %d of %s (weight %d) and %d of %s (weight %d), which had more."
                                    .formatted(
                                            taken.get(one),
                                            one,
                                            weight(one),
                                            taken.get(two),
                                            two,
                                            weight(two)));
                }
            }
        }
    }

    private double turns(Map<Lane, Integer> taken, Lane lane) {
        return taken.getOrDefault(lane, 0) / (double) weight(lane);
    }

    private int weight(Lane lane) {
        var known = settings.getOrDefault(lane, List.of());
        return known.isEmpty() ? 1 : known.getLast().weight();
    }

    /** Whether plain work of the lane, of a kind that the claim took, was ready all the time. */
    private boolean hadMore(Call call, Lane lane, List<Lease> leases) {
        if (settings.getOrDefault(lane, List.of()).size() > 1) {
            return false;
        }
        var kinds = new HashSet<String>();
        leases.stream().filter(l -> l.lane().equals(lane)).forEach(l -> kinds.add(l.kind()));
        return steps.entrySet().stream()
                .filter(entry -> entry.getValue().getFirst().lane().equals(lane))
                .filter(entry -> plain(entry.getKey(), kinds))
                .anyMatch(entry -> readyThroughout(entry.getValue(), call.span));
    }

    private boolean plain(ExecutionId id, Set<String> kinds) {
        return notes.work(id)
                .filter(work -> kinds.contains(work.kind()))
                .filter(RunCheck.Notes.Work::plain)
                .isPresent();
    }

    private static boolean readyThroughout(List<Step> steps, Span span) {
        for (int i = 0; i < steps.size(); i++) {
            var step = steps.get(i);
            boolean before = step.at().isBefore(span.began().at());
            boolean stays =
                    i + 1 == steps.size() || steps.get(i + 1).at().isAfter(span.ended().at());
            if (step.now() == Situation.READY && before && stays) {
                return true;
            }
        }
        return false;
    }
}
