package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.policy.BudgetUse;
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
        var sameId = world.byUuid(submission.id().uuid());
        if (sameId.isPresent()) {
            var row = sameId.get();
            if (row.digest.equals(digest) && row.id().equals(submission.id())) {
                return new Submitted(row.id(), false);
            }
            throw new Conflict(
                    Conflict.Code.ID_TAKEN,
                    row.id().toString(),
                    "This id was submitted with other content.");
        }
        var sameKey = world.byKey(submission);
        if (sameKey.isPresent()) {
            var row = sameKey.get();
            if (row.digest.equals(digest)) {
                return new Submitted(row.id(), false);
            }
            throw new Conflict(
                    Conflict.Code.KEY_TAKEN,
                    row.id().toString(),
                    "The key %s was submitted with other content."
                            .formatted(submission.key().orElseThrow()));
        }
        var queue = world.lanes.get(submission.lane());
        if (queue != null && !queue.settings.state().takes()) {
            throw new Denied(
                    Denied.Code.LANE_CLOSED,
                    "The lane %s is %s and takes no new work."
                            .formatted(submission.lane(), queue.settings.state().wire()));
        }
        for (QuotaUse use : submission.policy().quotas()) {
            if (world.meters.quota(submission.lane().namespace(), use.quota()).isEmpty()) {
                throw new NotFound("quota", use.quota());
            }
        }
        for (BudgetUse use : submission.policy().budgets()) {
            var purse =
                    world.purses
                            .find(submission.lane().namespace(), use.budget())
                            .orElseThrow(() -> new NotFound("budget", use.budget()));
            purse.mustCount(use.reserve().keySet());
        }
        return new Submitted(world.submit(submission, digest).id(), true);
    }
}
