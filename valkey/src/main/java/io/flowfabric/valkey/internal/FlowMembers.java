package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How members come into flows, each with its work. */
final class FlowMembers {
    private final ValkeyContext valkey;
    private final StrayWork strays;

    FlowMembers(ValkeyContext valkey) {
        this.valkey = valkey;
        this.strays = new StrayWork(valkey);
    }

    /** What is submitted of members. */
    static List<Submission> work(FlowRecord flow, List<Member> members) {
        return members.stream().map(flow.policy()::submission).toList();
    }

    /**
     * Adds members to what is written of a flow; they are found by their ids by then.
     *
     * @throws Conflict when the id of one is used elsewhere
     */
    void come(FlowWrite write, Partition home, List<Submission> work, List<MemberRecord> members) {
        makeFindable(work, home).keySet().stream()
                .sorted()
                .findFirst()
                .ifPresent(
                        place -> {
                            throw taken(work.get(place));
                        });
        var digests = work.stream().map(Submission::digest).toList();
        write.come(
                new SubmitRequest(
                        work,
                        digests,
                        Optional.empty(),
                        Optional.empty(),
                        lane -> false,
                        PartOrder.ALONE,
                        !valkey.spreads().at(home).isEmpty()),
                members);
    }

    private Map<Integer, Answer<Submitted>> makeFindable(List<Submission> work, Partition home) {
        try {
            return strays.makeFindable(work, home);
        } catch (UnheardSpread unheard) {
            valkey.spreads().mustReadAgain();
            return strays.makeFindable(work, home);
        }
    }

    /**
     * Sees to what is in the way of a member, so that it can be tried again.
     *
     * @throws io.flowfabric.core.FlowFabricException when it is refused
     */
    void clear(FlowWrite.Told told, Partition home, List<Submission> work) {
        if (told.word().equals("unheard")) {
            valkey.spreads().mustReadAgain();
        } else if (told.word().equals("refused")) {
            clear(work.get(told.number()), told.why(), home);
        }
    }

    private void clear(Submission work, Item why, Partition home) {
        switch (why.at(0).text()) {
            case "known" -> throw taken(work);
            case "elsewhere" -> {
                var other = new Partition(why.at(1).small());
                if (strays.known(work, other).isPresent()) {
                    throw taken(work);
                }
                valkey.homes().clear(work.id(), home, other);
            }
            case "closed" -> {
                Acceptance.mustTake(work.lane(), Codes.LANE_STATES.word(why.at(1)));
                throw new IllegalStateException("the lane takes work");
            }
            default -> throw GateDefinition.missing(why);
        }
    }

    private static Conflict taken(Submission work) {
        return new Conflict(
                Conflict.Code.ID_TAKEN,
                work.id().toString(),
                "This id is that of an execution already: mint another one for the member.");
    }
}
