package io.flowfabric.testkit.harness;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.KeyUse;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;
import java.util.Optional;

/**
 * A piece of work to be submitted, as pure data.
 *
 * @param number from which its id is made
 * @param brought whether the id is one that we would not mint ourselves
 * @param policy all of it but the times
 */
record HarnessWork(
        long number,
        boolean brought,
        Lane lane,
        String kind,
        String input,
        Optional<String> key,
        KeyUse keyUse,
        Optional<String> colour,
        Policy policy,
        Wait start,
        Optional<Wait> deadline) {

    Submission submission(Identity identity, Instant startOfRun) {
        var timed = policy.start(start.due(startOfRun));
        for (Wait wait : deadline.stream().toList()) {
            timed = timed.deadline(wait.due(startOfRun));
        }
        return new Submission(
                brought ? identity.brought(number) : identity.minted(number),
                lane,
                kind,
                Payload.text(input),
                "",
                key,
                keyUse,
                colour.map(word -> Tags.NONE.with("colour", word)).orElse(Tags.NONE),
                timed);
    }
}
