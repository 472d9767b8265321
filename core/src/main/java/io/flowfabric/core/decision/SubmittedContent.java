package io.flowfabric.core.decision;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Tags;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.submit.Submission;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The content of a submission that was accepted, without its input, so that the refusal of another
 * content under the same id or key can say what differs.
 */
public record SubmittedContent(
        Lane lane, String kind, String creator, Optional<String> key, Tags tags, Policy policy) {

    /** A named part of a content or of a policy. */
    private record Part<T>(String name, Function<T, Object> value) {}

    private static final List<Part<SubmittedContent>> PARTS =
            List.of(
                    new Part<>("lane", SubmittedContent::lane),
                    new Part<>("kind", SubmittedContent::kind),
                    new Part<>("creator", SubmittedContent::creator),
                    new Part<>("key", SubmittedContent::key),
                    new Part<>("tags", SubmittedContent::tags));

    private static final List<Part<Policy>> POLICY_PARTS =
            List.of(
                    new Part<>("priority", Policy::priority),
                    new Part<>("start", Policy::start),
                    new Part<>("deadline", Policy::deadline),
                    new Part<>("retry", Policy::retry),
                    new Part<>("attempt timeout", Policy::attemptTimeout),
                    new Part<>("stall timeout", Policy::stallTimeout),
                    new Part<>("needs", Policy::needs),
                    new Part<>("quotas", Policy::quotas),
                    // As a list: a sorted set takes two uses of one budget for equal.
                    new Part<>("budgets", policy -> List.copyOf(policy.budgets())),
                    new Part<>("max reclaims", Policy::maxReclaims),
                    new Part<>("max replays", Policy::maxReplays),
                    new Part<>("retention", Policy::retention),
                    new Part<>("share key", Policy::share));

    /** The content of a submission. */
    public static SubmittedContent of(Submission submission) {
        return new SubmittedContent(
                submission.lane(),
                submission.kind(),
                submission.creator(),
                submission.key(),
                submission.tags(),
                submission.policy());
    }

    /** The content that an execution was submitted with. */
    public static SubmittedContent of(ExecutionView view) {
        return new SubmittedContent(
                view.lane(), view.kind(), view.creator(), view.key(), view.tags(), view.policy());
    }

    /**
     * The names of the parts in which a submission differs from this content.
     *
     * @param digest of the whole content, its input included
     */
    List<String> differences(Submission submission, Digest digest) {
        var asked = of(submission);
        var names = new ArrayList<String>();
        addDifferences(PARTS, this, asked, "", names);
        if (!with(submission).digest().equals(digest)) {
            names.add("input");
        }
        addDifferences(POLICY_PARTS, policy, asked.policy, " of the policy", names);
        return names;
    }

    private static <T> void addDifferences(
            List<Part<T>> parts, T stored, T asked, String suffix, List<String> names) {
        parts.stream()
                .filter(part -> !part.value.apply(stored).equals(part.value.apply(asked)))
                .forEach(part -> names.add(part.name + suffix));
    }

    /**
     * This content with the input of a submission: it has the stored digest if that is the input.
     */
    private Submission with(Submission submission) {
        return new Submission(
                submission.id(), lane, kind, submission.input(), creator, key, tags, policy);
    }
}
