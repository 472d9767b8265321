package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.ClaimedForWorker;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.harness.Difference.Kind;
import io.flowfabric.testkit.memory.MemoryStore;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A store and its model, side by side with their clocks in step: everything is done to both, and
 * everything that they say is compared.
 */
final class StoreAndModel implements Stage {
    private static final int FRAMES = 12;

    /** More than any run has due at once: the model does its chores in one go. */
    private static final int NO_LIMIT = 1_000_000;

    /** Longer than anything that the harness waits for. */
    private static final Duration EVER = Duration.ofDays(36_500);

    private final StoreFixture fixture;
    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore model = new MemoryStore(clock);
    private final Trace trace;
    private final TokenMap seals = new TokenMap();

    StoreAndModel(StoreFixture fixture, Trace trace) {
        this.fixture = fixture;
        this.trace = trace;
        var ahead = Duration.between(clock.instant(), fixture.now());
        if (ahead.isNegative()) {
            fixture.advance(ahead.negated());
        } else {
            clock.advance(ahead);
        }
        // Keys of the same names; their secrets differ, and so do the seals that they make.
        seals.begin(fixture.store(), model);
    }

    @Override
    public <T> Reply<T> call(String what, Object request, Function<Store, T> call) {
        var actual = tested(what, () -> call.apply(fixture.store()));
        trace.called(what, request, actual);
        same(Kind.ANSWER, what, Reply.of(() -> call.apply(model)), actual);
        return actual;
    }

    /** Compares what both show, on the same question. */
    <T> void look(String what, Function<Store, T> question) {
        var unused = look(what, question, ComparableFacts::of);
    }

    /**
     * The same, with another way to show an answer to people, should the two differ.
     *
     * @return what the store under test says, unless it refuses
     */
    <T> Optional<T> look(String what, Function<Store, T> question, Function<T, Object> shown) {
        var actual = tested(what, () -> question.apply(fixture.store()));
        var expected = Reply.of(() -> question.apply(model));
        if (!ComparableFacts.of(expected).equals(ComparableFacts.of(actual))) {
            same(Kind.STATE, what, shown(expected, shown), shown(actual, shown));
        }
        return actual.answered();
    }

    private static <T> Object shown(Reply<T> reply, Function<T, Object> shown) {
        return reply.answered().map(shown).orElseGet(() -> ComparableFacts.of(reply));
    }

    @Override
    public Reply<List<Lease>> claim(Claims.Claim claim) {
        var met = new AtomicReference<>(Claimed.of(List.of()));
        var actual =
                tested(
                        "claim",
                        () -> {
                            met.set(fixture.store().claims().claim(claim));
                            return met.get().leases();
                        });
        trace.called("claim", claim, actual);
        var expected =
                switch (actual) {
                    case Reply.Value<List<Lease>> value -> followed(claim, met.get());
                    case Reply.Refusal<List<Lease>> refusal ->
                            Reply.of(() -> model.claims().claim(claim).leases());
                };
        same(Kind.ANSWER, "claim", expected, actual);
        return actual;
    }

    private Reply<List<Lease>> followed(Claims.Claim claim, Claimed actual) {
        var picks = actual.leases().stream().map(lease -> lease.fence().execution()).toList();
        try {
            return Reply.of(
                    () -> {
                        var expected = model.follow(claim, picks, actual.more());
                        same(Kind.ANSWER, "claim", expected.shut(), actual.shut());
                        return expected.leases();
                    });
        } catch (AssertionError illegal) {
            throw new Difference.Found(
                    Kind.PICK, "claim", List.of(String.valueOf(illegal.getMessage())));
        }
    }

    @Override
    public Reply<List<Grant>> grant(Claims.Claim claim, Duration ttl) {
        var met = new AtomicReference<>(new ClaimedForWorker(List.of(), Set.of(), false));
        var actual =
                tested(
                        "grant",
                        () -> {
                            met.set(fixture.store().grants().claimForWorker(claim, ttl));
                            return met.get().grants();
                        });
        trace.called("grant", List.of(claim, ttl), actual);
        var expected =
                switch (actual) {
                    case Reply.Value<List<Grant>> value -> followed(claim, ttl, met.get());
                    case Reply.Refusal<List<Grant>> refusal ->
                            Reply.of(() -> model.grants().claimForWorker(claim, ttl).grants());
                };
        same(Kind.ANSWER, "grant", expected, actual);
        seals.pair(actual.answered().orElse(List.of()), expected.answered().orElse(List.of()));
        return actual;
    }

    private Reply<List<Grant>> followed(Claims.Claim claim, Duration ttl, ClaimedForWorker actual) {
        var picks = actual.grants().stream().map(Grant::execution).toList();
        try {
            return Reply.of(
                    () -> {
                        var expected = model.follow(claim, ttl, picks, actual.more());
                        same(Kind.ANSWER, "grant", expected.shut(), actual.shut());
                        return expected.grants();
                    });
        } catch (AssertionError illegal) {
            throw new Difference.Found(
                    Kind.PICK, "grant", List.of(String.valueOf(illegal.getMessage())));
        }
    }

    @Override
    public Reply<Grant> reclaim(ExecutionId execution, SessionId session, Duration ttl) {
        var request = List.of(execution, session, ttl);
        var actual =
                tested(
                        "reclaim",
                        () -> fixture.store().grants().reclaimForWorker(execution, session, ttl));
        trace.called("reclaim", request, actual);
        var expected = Reply.of(() -> model.grants().reclaimForWorker(execution, session, ttl));
        same(Kind.ANSWER, "reclaim", expected, actual);
        seals.pair(actual.answered().stream().toList(), expected.answered().stream().toList());
        return actual;
    }

    @Override
    public Reply<List<Answer<Lease>>> redeem(Redemption redemption) {
        var tokens = redemption.tokens();
        var mine = tokens.stream().map(seals::ofModel).toList();
        var session = redemption.session();
        same(
                Kind.ANSWER,
                "verify",
                Reply.of(() -> model.grants().verify(session, mine)),
                tested("verify", () -> fixture.store().grants().verify(session, tokens)));
        var actual = tested("redeem", () -> fixture.store().grants().redeem(redemption));
        trace.called("redeem", redemption, actual);
        var translated = new Redemption(session, redemption.number(), mine);
        same(Kind.ANSWER, "redeem", Reply.of(() -> model.grants().redeem(translated)), actual);
        return actual;
    }

    /**
     * Which items a round picks when more are due than it may do is the store's own choice, so a
     * chore is always brought to its end before anything is compared.
     */
    @Override
    public void tick(Chore chore, int limit) {
        var actual = tested("tick " + chore, () -> SweepRounds.of(fixture.store(), chore, limit));
        trace.called("tick", "%s in rounds of %d".formatted(chore, limit), actual);
        var expected = SweepRounds.of(model, chore, NO_LIMIT);
        same(Kind.ANSWER, "tick " + chore, new Reply.Value<>(expected), actual);
    }

    /** Compares when both are needed next. */
    void compareNextDue() {
        var actual = tested("next due", () -> fixture.store().maintenance().nextDue(EVER));
        var expected = Reply.of(() -> model.maintenance().nextDue(EVER));
        var at = actual.answered().flatMap(due -> due).map(now()::plus);
        if (at.isEmpty() || !at.get().isBefore(latest(expected)) || !model.mayBeEarly(at.get())) {
            same(Kind.STATE, "next due", expected, actual);
        }
    }

    private Instant latest(Reply<Optional<Duration>> expected) {
        return expected.answered().flatMap(due -> due).map(now()::plus).orElse(Instant.MAX);
    }

    @Override
    public void advance(Duration step) {
        trace.say("%s pass".formatted(step));
        fixture.advance(step);
        clock.advance(step);
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public boolean exclusive() {
        return true;
    }

    Store tested() {
        return fixture.store();
    }

    Store model() {
        return model;
    }

    /** Throws when the two are not the same. */
    static void same(Kind kind, String what, Reply<?> expected, Reply<?> actual) {
        same(kind, what, ComparableFacts.of(expected), ComparableFacts.of(actual));
    }

    static void same(Kind kind, String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new Difference.Found(kind, what, Diff.between(expected, actual));
        }
    }

    /** What the store under test says; anything that the contract does not have ends the run. */
    private static <T> Reply<T> tested(String what, Supplier<T> call) {
        try {
            return Reply.of(call);
        } catch (Difference.Found found) {
            throw found;
        } catch (RuntimeException | Error crash) {
            var frames =
                    Arrays.stream(crash.getStackTrace())
                            .limit(FRAMES)
                            .map(frame -> "  at " + frame);
            throw new Difference.Found(
                    Kind.CRASH, what, Stream.concat(Stream.of(crash.toString()), frames).toList());
        }
    }
}
