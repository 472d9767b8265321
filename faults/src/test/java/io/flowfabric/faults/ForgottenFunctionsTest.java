package io.flowfabric.faults;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/** A Redis whose functions are all removed by somebody, again and again, amid work. */
class ForgottenFunctionsTest {
    private static final int FLUSHES = 50;
    private static final Duration EVERY = Duration.ofMillis(50);

    @Test
    void work_goes_on_although_the_functions_are_flushed_twenty_times_a_second() throws Exception {
        var server = RedisServers.shared();
        try (var world = new FaultScenario(server);
                var work = new AmidWork(world)) {
            work.goesOn();
            for (int i = 0; i < FLUSHES; i++) {
                server.ask(0, "FUNCTION", "FLUSH", i % 2 == 0 ? "SYNC" : "ASYNC");
                Waiting.pause(EVERY);
            }

            work.goesOn();
            work.judge();
        }
    }
}
