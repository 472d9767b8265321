package io.flowfabric.testkit.contract;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.fault.HookedStore;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A store of which some calls get lost by chance: on their way there, or with their answer on the
 * way back.
 */
final class LostCalls implements StoreFixture {
    private static final Set<String> CHANGING = Set.of("claim", "end", "act", "extend", "cancel");

    /** One of so many calls gets lost on its way, and one on its way back. */
    private static final int ONE_OF = 8;

    private final StoreFixture fixture;
    private final Store store;
    private Random chance = new Random(0);
    private boolean reliable = true;
    private Optional<Object> unheard = Optional.empty();

    LostCalls(StoreFixture fixture) {
        this.fixture = fixture;
        this.store = HookedStore.over(fixture.store(), this::around);
    }

    /** Begins to lose calls, the same ones for the same seed. */
    void begin(long seed) {
        chance = new Random(seed);
        reliable = false;
    }

    void end() {
        reliable = true;
    }

    /** Forgets what became of the call before. */
    void forget() {
        unheard = Optional.empty();
    }

    /** The answers to the last call that were lost; none when it was not done yet. */
    List<Answer<?>> unheard() {
        return unheard.stream()
                .flatMap(it -> it instanceof List<?> all ? all.stream() : Stream.of())
                .<Answer<?>>map(Answer.class::cast)
                .toList();
    }

    /** Whether the last call was done although its answer was lost. */
    boolean wasDone() {
        return unheard.isPresent();
    }

    private Object around(String name, HookedStore.Call call) throws Exception {
        int lost = reliable || !CHANGING.contains(name) ? ONE_OF : chance.nextInt(ONE_OF);
        if (lost == 0) {
            throw failure(name);
        }
        var answer = call.call();
        if (lost == 1) {
            unheard = Optional.of(answer);
            throw failure(name);
        }
        return answer;
    }

    private static StoreFailure failure(String name) {
        return new StoreFailure(
                "The connection broke during %s.".formatted(name),
                true,
                new IOException("as planned"));
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Instant now() {
        return fixture.now();
    }

    @Override
    public void advance(Duration step) {
        fixture.advance(step);
    }

    @Override
    public void poison(ExecutionId execution) {
        fixture.poison(execution);
    }

    @Override
    public void heal(ExecutionId execution) {
        fixture.heal(execution);
    }

    @Override
    public void tick() {
        fixture.tick();
    }

    @Override
    public void close() {
        fixture.close();
    }
}
