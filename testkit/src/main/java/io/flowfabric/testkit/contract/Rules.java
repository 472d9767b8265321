package io.flowfabric.testkit.contract;

import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A family of rules: each test has a fresh store to itself. */
// No test waits for anything: this only ends one that a broken store keeps busy for ever.
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class Rules {
    /** Longer than anything that a rule waits for. */
    static final Duration EVER = Duration.ofDays(36_500);

    private final Supplier<StoreFixture> opening;

    Scenario world;

    Rules(Supplier<StoreFixture> opening) {
        this.opening = opening;
    }

    @BeforeEach
    void open() {
        world = new Scenario(opening.get());
    }

    @AfterEach
    void close() {
        world.close();
    }
}
