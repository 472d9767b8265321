package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.embedded.RedisOptions.Flush;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** A connection that hangs is given up, and one that leads to the wrong server is, too. */
@TestInstance(Lifecycle.PER_CLASS)
class HangingConnectionsTest {
    private static final String DEAF = "redis://deaf:secret@localhost:";
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(500);

    private EmbeddedRedis redis;
    private RedisClient client;

    @BeforeAll
    void start(@TempDir Path home) {
        redis = EmbeddedRedis.start(home, RedisOptions.DEFAULT.withFlush(Flush.SELDOM));
        client = RedisClient.create();
    }

    @AfterAll
    void stop() {
        client.shutdown();
        redis.close();
    }

    @Test
    void a_heartbeat_gives_its_connection_up_when_its_patience_is_over() throws IOException {
        try (var proxy = new FreezingProxy(redis.port(0));
                var store = open(proxy, LONG)) {
            var session = Session.of("worker", "patience", "default");
            store.sessions().open(session);
            beat(store, session, Duration.ofSeconds(5)).orThrow();
            proxy.freeze();

            long began = System.nanoTime();
            assertThatThrownBy(() -> beat(store, session, SHORT))
                    .isInstanceOfSatisfying(
                            StoreFailure.class, e -> assertThat(e.mayHaveApplied()).isTrue());
            // Everything else still hangs.
            assertThat(beat(store, session, Duration.ofSeconds(20)).isDone()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LONG.dividedBy(2));
        }
    }

    @Test
    void a_connection_that_is_silent_is_made_anew() throws IOException {
        try (var proxy = new FreezingProxy(redis.port(0));
                var store = open(proxy, SHORT)) {
            submitted(store);
            proxy.freeze();

            assertThatThrownBy(() -> submit(store)).isInstanceOf(StoreFailure.class);
            submitted(store);
        }
    }

    @Test
    void a_server_that_became_a_replica_is_left_for_the_one_that_its_name_leads_to(
            @TempDir Path home) throws IOException {
        try (var successor =
                        EmbeddedRedis.start(home, RedisOptions.DEFAULT.withFlush(Flush.SELDOM));
                var proxy = new FreezingProxy(successor.port(0));
                var admin = RedisClient.create()) {
            try (var store = open(proxy, successor.password(), Duration.ofSeconds(5))) {
                submitted(store);
                var old = commands(admin, successor.port(0), successor.password());
                proxy.lead(redis.port(0));
                // It takes no writes from now on, and its connections stay.
                old.replicaof("127.0.0.1", redis.port(0));
                commands(admin, redis.port(0), redis.password())
                        .configSet("requirepass", successor.password());

                assertThatThrownBy(() -> submit(store))
                        .matches(e -> !FlowFabricException.concernsRequest(e));
                submitted(store);
            } finally {
                commands(admin, redis.port(0), successor.password())
                        .configSet("requirepass", redis.password());
            }
        }
    }

    @Test
    void nothing_is_left_of_a_store_that_could_not_be_opened() throws IOException {
        try (var proxy = new FreezingProxy(redis.port(0))) {
            var admin = commands(client, redis.port(0), redis.password());
            admin.aclSetuser(
                    "deaf",
                    AclSetuserArgs.Builder.on()
                            .addPassword("secret")
                            .allCommands()
                            .allKeys()
                            .resetChannels());
            var before = pools();
            for (int n = 0; n < 3; n++) {
                assertThatThrownBy(
                                () ->
                                        ValkeyStore.open(
                                                        ValkeyOptions.of(DEAF + proxy.port())
                                                                .withCallTimeout(
                                                                        Duration.ofSeconds(5)))
                                                .close())
                        .isInstanceOf(Unavailable.class);
            }

            await(() -> proxy.open() == 0);
            await(() -> before.containsAll(pools()));
        }
    }

    /** The pools that there are threads of. */
    private static Set<String> pools() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("lettuce"))
                .map(name -> name.substring(0, name.lastIndexOf('-')))
                .collect(Collectors.toSet());
    }

    /** Returns when something is so, and fails when it is not after long enough. */
    private static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("it is not so yet").isLessThan(until);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** What is refused for now is repeated, as those who call do. */
    private static void submitted(ValkeyStore store) {
        await(
                () -> {
                    try {
                        return submit(store).isDone();
                    } catch (FlowFabricException e) {
                        assertThat(FlowFabricException.concernsRequest(e))
                                .as(e.toString())
                                .isFalse();
                        return false;
                    }
                });
    }

    private static Answer<Submitted> submit(ValkeyStore store) {
        return store.submissions().submit(List.of(Submission.of("job", Payload.EMPTY))).getFirst();
    }

    private static Answer<?> beat(ValkeyStore store, Session session, Duration patience) {
        var beat = new Heartbeat(session.id(), 0, Set.of(), patience);
        return store.sessions().heartbeat(List.of(beat)).getFirst();
    }

    private ValkeyStore open(FreezingProxy proxy, Duration callTimeout) {
        return open(proxy, redis.password(), callTimeout);
    }

    private static ValkeyStore open(FreezingProxy proxy, String password, Duration callTimeout) {
        return ValkeyStore.open(
                ValkeyOptions.of("redis://127.0.0.1:" + proxy.port())
                        .withPassword(password)
                        .withCallTimeout(callTimeout));
    }

    private static RedisCommands<String, String> commands(
            RedisClient client, int port, String password) {
        var uri =
                RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(port)
                        .withPassword(password.toCharArray())
                        .build();
        return client.connect(uri).sync();
    }
}
