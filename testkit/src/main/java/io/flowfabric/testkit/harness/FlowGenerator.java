package io.flowfabric.testkit.harness;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.testkit.harness.Operation.FlowPart;
import io.flowfabric.testkit.harness.Operation.Hearing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Thinks of graphs.
 *
 * <p>Nothing in them ends a member that is not waiting: sweeps take what is due in pieces of any
 * size, and who comes first would depend on that. Members that are let go of, and flows that fail
 * fast, are tried by {@code RandomFlow}.
 */
final class FlowGenerator {
    private FlowGenerator() {}

    static Operation.SubmitFlow submit(Draw draw, long number, Hearing hearing) {
        var namespace = draw.one(Vocabulary.NAMESPACES);
        var parts = new ArrayList<FlowPart>();
        int size = 1 + draw.below(5);
        for (int n = 0; n < size; n++) {
            var after = IntStream.range(0, n).filter(it -> draw.chance(40)).boxed().toList();
            parts.add(
                    new FlowPart(
                            work(draw, namespace, number + n),
                            after,
                            1 + draw.below(4),
                            draw.chance(20)));
        }
        return new Operation.SubmitFlow(
                number, parts, draw.one(OnFailure.FINISH, OnFailure.IGNORE), hearing);
    }

    /** Work without limits of time: those would end a member that waits. */
    private static HarnessWork work(Draw draw, Namespace namespace, long number) {
        var work = WorkGenerator.work(draw, number);
        var lanes = Vocabulary.lanesOf(namespace);
        return new HarnessWork(
                work.number(),
                work.brought(),
                new Lane(namespace, lanes.get(draw.below(lanes.size()))),
                work.kind(),
                work.input(),
                Optional.empty(),
                KeyUse.EXACT,
                work.colour(),
                timeless(work.policy()),
                work.start(),
                Optional.empty());
    }

    private static Policy timeless(Policy policy) {
        return new Policy(
                policy.priority(),
                policy.start(),
                Optional.empty(),
                policy.retry(),
                policy.attemptTimeout(),
                policy.stallTimeout(),
                policy.needs(),
                policy.quotas(),
                Collections.emptySortedSet(),
                policy.maxReclaims(),
                policy.maxReplays(),
                policy.retention(),
                policy.share());
    }

    /** The names of those that a part comes after. */
    static List<String> names(List<Integer> after) {
        return after.stream().map(FlowGenerator::name).toList();
    }

    static String name(int part) {
        return "part-" + part;
    }
}
