package io.flowfabric.faults;

import io.flowfabric.core.Unavailable;
import io.flowfabric.embedded.EmbeddedRedis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.TreeMap;

/** A Redis whose operator ends functions that take longer than a moment, amid work. */
class KilledFunctionsTest {
    private static final int ENOUGH = 5;
    private static final int AT_ONCE = 20;

    /** So much takes the server longer than a moment. */
    private static final int CROWD = 1000;

    @TempDir Path home;

    @Test
    void work_goes_on_although_functions_are_ended_while_they_run() throws Exception {
        // From so many milliseconds on a function can be ended, and others hear that it is busy.
        var settings = RedisServers.embedded().withSetting("busy-reply-threshold", "1");
        try (var server = EmbeddedRedis.start(home, settings);
                var world = new FaultScenario(server);
                var work = new AmidWork(world);
                var crowds = Load.on(world.watched(), 1, CROWD, Duration.ofMillis(200))) {
            var answers = new TreeMap<String, Integer>();
            Waiting.until(
                    "enough are ended",
                    () -> {
                        for (int i = 0; i < AT_ONCE; i++) {
                            answers.merge(kill(server, "FUNCTION"), 1, Integer::sum);
                            answers.merge(kill(server, "SCRIPT"), 1, Integer::sum);
                        }
                        return answers.getOrDefault("OK", 0) >= ENOUGH;
                    });

            long others = crowds.end();
            work.goesOn();
            work.judge(others);
        }
    }

    private static String kill(EmbeddedRedis server, String what) {
        try {
            return server.ask(0, what, "KILL");
        } catch (Unavailable e) {
            // Nothing runs, or it has begun to write.
            return String.valueOf(e.getMessage()).replaceAll(".*KILL: ", "");
        }
    }
}
