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

    private Submitted accept(Submission submission) {
        var digest = submission.digest();
        return Acceptance.repeated(
                        submission,
                        digest,
                        world.byUuid(submission.id().uuid()).map(MemoryExecution::known),
                        world.byKey(submission).map(MemoryExecution::known))
                .orElseGet(() -> accept(submission, digest));
    }

    private Submitted accept(Submission submission, Digest digest) {
        var queue = world.lanes.get(submission.lane());
        if (queue != null) {
            Acceptance.mustTake(submission.lane(), queue.settings.state());
        }
        var policy = submission.policy();
        world.mustExist(
                submission.lane().namespace(),
                policy.quotas().stream().map(QuotaUse::quota).toList(),
                policy.budgets());
        return new Submitted(world.submit(submission, digest).id(), true);
    }
}
