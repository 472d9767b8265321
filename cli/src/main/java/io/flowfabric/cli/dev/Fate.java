package io.flowfabric.cli.dev;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What can become of an execution in the demo, and what the database must say about it then. */
enum Fate {
    OUTLIVES_ITS_WORKER(
            "outlives a killed worker",
            8,
            Jobs.HAUL,
            Policy.DEFAULT,
            PublicState.COMPLETED,
            1,
            Optional.empty()),
    CANCELLED_RUNNING(
            "cancelled while it runs",
            8,
            Jobs.STUCK,
            Policy.DEFAULT,
            PublicState.CANCELLED,
            1,
            Optional.empty()),
    CANCELLED_WAITING(
            "cancelled before it starts",
            15,
            Jobs.GREET,
            Policy.DEFAULT.start(Due.in(Duration.ofHours(1))),
            PublicState.CANCELLED,
            0,
            Optional.empty()),
    TIMES_OUT(
            "takes too long, twice",
            8,
            Jobs.STUCK,
            Policy.DEFAULT.attemptTimeout(Duration.ofMillis(800)).retry(quickly(Retry.retries(1))),
            PublicState.FAILED,
            2,
            Optional.of(Failure.TIMEOUT)),
    SUCCEEDS(
            "succeeds at once",
            160,
            Jobs.GREET,
            Policy.DEFAULT,
            PublicState.COMPLETED,
            1,
            Optional.empty()),
    RETRIES(
            "fails twice, then succeeds",
            40,
            Jobs.FLAKY,
            Policy.DEFAULT.retry(quickly(Retry.retries(Jobs.BAD_TRIES))),
            PublicState.COMPLETED,
            1 + Jobs.BAD_TRIES,
            Optional.empty()),
    GIVES_UP(
            "fails, runs out of retries",
            15,
            Jobs.FLAKY,
            Policy.DEFAULT.retry(quickly(Retry.retries(Jobs.BAD_TRIES - 1))),
            PublicState.FAILED,
            Jobs.BAD_TRIES,
            Optional.of(Failure.TRANSIENT)),
    HOPELESS(
            "fails for good at once",
            20,
            Jobs.BROKEN,
            Policy.DEFAULT,
            PublicState.FAILED,
            1,
            Optional.of(Failure.PERMANENT)),
    STARTS_LATER(
            "starts two seconds later",
            30,
            Jobs.GREET,
            Policy.DEFAULT.start(Due.in(Duration.ofSeconds(2))),
            PublicState.COMPLETED,
            1,
            Optional.empty()),
    LOOKS_AGAIN(
            "looks again later, twice",
            20,
            Jobs.POLL,
            Policy.DEFAULT,
            PublicState.COMPLETED,
            1,
            Optional.empty()),
    EXPIRES(
            "expires: nobody can do it",
            15,
            Jobs.GREET,
            Policy.DEFAULT
                    .needs(Capabilities.of("time-travel"))
                    .deadline(Due.in(Duration.ofSeconds(2))),
            PublicState.EXPIRED,
            0,
            Optional.empty()),
    NEEDS_A_GPU(
            "needs the gpu of worker c",
            25,
            Jobs.GREET,
            Policy.DEFAULT.needs(Capabilities.of(Profile.GPU)),
            PublicState.COMPLETED,
            1,
            Optional.empty()),
    ORDINARY(
            "ordinary, waits at the desk",
            20,
            Jobs.GREET,
            Policy.DEFAULT,
            PublicState.COMPLETED,
            1,
            Optional.empty()),
    URGENT(
            "urgent, first at the desk",
            20,
            Jobs.GREET,
            Policy.DEFAULT.priority(9000),
            PublicState.COMPLETED,
            1,
            Optional.empty());

    /** The tag that says which run of the program an execution belongs to. */
    static final String RUN_TAG = "run";

    /** The tag that says which fate it was submitted for. */
    static final String FATE_TAG = "fate";

    /** Who submits all of it. */
    static final String CREATOR = "ff dev";

    private static final List<String> NAMES = List.of("Ada", "Grace", "Barbara", "Edsger", "Tony");

    private final String words;
    private final int count;
    private final String kind;
    private final Policy policy;
    private final PublicState end;
    private final int attempts;
    private final Optional<String> failure;

    Fate(
            String words,
            int count,
            String kind,
            Policy policy,
            PublicState end,
            int attempts,
            Optional<String> failure) {
        this.words = words;
        this.count = count;
        this.kind = kind;
        this.policy = policy;
        this.end = end;
        this.attempts = attempts;
        this.failure = failure;
    }

    /** The fate in words, as it stands in the summary. */
    String words() {
        return words;
    }

    /** How many executions are submitted for it. */
    int count() {
        return count;
    }

    /** In which state each of them ends. */
    PublicState end() {
        return end;
    }

    /** How many attempts each of them takes. A take-over goes on with the same attempt. */
    int attempts() {
        return attempts;
    }

    /** The category of the failure that each of them ends with. */
    Optional<String> failure() {
        return failure;
    }

    Policy policy() {
        return policy;
    }

    /** The value of {@link #FATE_TAG}. */
    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Fate> tagged(String tag) {
        return Stream.of(values()).filter(fate -> fate.tag().equals(tag)).findFirst();
    }

    /** How many executions one run submits. */
    static int total() {
        return Stream.of(values()).mapToInt(Fate::count).sum();
    }

    /** The executions of this fate for a run, with new ids. */
    Stream<Submission> submissions(String run) {
        return IntStream.range(0, count)
                .mapToObj(
                        i ->
                                Submission.of(kind, Payload.text(NAMES.get(i % NAMES.size())))
                                        .lane(lane())
                                        .creator(CREATOR)
                                        .tag(RUN_TAG, run)
                                        .tag(FATE_TAG, tag())
                                        .policy(policy));
    }

    private Lane lane() {
        return this == ORDINARY || this == URGENT ? Lane.of(Profile.DESK) : Lane.DEFAULT;
    }

    private static Retry quickly(Retry retry) {
        return retry.backoff(Backoff.fixed(Duration.ofMillis(400)));
    }
}
