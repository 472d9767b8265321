package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Digest;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;

import java.util.List;

/** How work comes in. */
final class MemorySubmissions implements Submissions {
    private final MemoryState world;

    MemorySubmissions(MemoryState world) {
        this.world = world;
    }

    @Override
    public List<Answer<Submitted>> submit(List<Submission> submissions) {
        return ItemAnswers.each(world, "submissions", submissions, this::accept);
    }

    /** Accepts one submission; the caller has begun a commit. */
    Submitted accept(Submission submission) {
        var digest = submission.digest();
        return Acceptance.repeated(
                        submission,
                        digest,
                        world.executions.byUuid(submission.id().uuid()).map(MemoryExecution::known),
                        world.executions.byKey(submission).map(MemoryExecution::known))
                .orElseGet(() -> accept(submission, digest));
    }

    private Submitted accept(Submission submission, Digest digest) {
        mustTake(world, submission);
        return new Submitted(world.steps.submit(submission, digest).id(), true);
    }

    /** Refuses new work that its lane does not take, or that names what is not defined. */
    static void mustTake(MemoryState world, Submission submission) {
        world.lanes
                .known(submission.lane())
                .ifPresent(it -> Acceptance.mustTake(it.lane, it.settings.state()));
        var policy = submission.policy();
        world.mustExist(
                submission.lane().namespace(),
                policy.quotas().stream().map(QuotaUse::quota).toList(),
                policy.budgets());
    }
}
