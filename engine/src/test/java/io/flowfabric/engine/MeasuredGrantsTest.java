package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

class MeasuredGrantsTest {
    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);
    private final Tally tally = new Tally();
    private final Engine engine = new Engine(store, EngineOptions.DEFAULT, tally);
    private final SessionId session = opened();

    @BeforeEach
    void start() {
        engine.start();
    }

    @AfterEach
    void stop() {
        engine.stop();
    }

    @Test
    void an_engine_that_runs_makes_the_first_key() {
        eventually("there is a key", () -> store.keys().list().size() == 1);
    }

    @Test
    void what_is_granted_redeemed_and_refused_is_counted() {
        var grants = granted(2);

        engine.grants()
                .redeem(
                        new Redemption(
                                session,
                                2,
                                List.of(
                                        grants.getFirst().token(),
                                        grants.getFirst().token(),
                                        "nonsense")));

        assertThat(tally.of("granted")).isEqualTo(2);
        assertThat(tally.of("redeemed")).isEqualTo(1);
        assertThat(tally.of("refused UNKNOWN_GRANT")).isEqualTo(1);
        assertThat(tally.of("refused MALFORMED_TOKEN")).isEqualTo(1);
        assertThat(engine.grants().verify(session, List.of(grants.getLast().token())))
                .allMatch(answer -> answer.isDone());
    }

    private List<Grant> granted(int count) {
        for (int i = 0; i < count; i++) {
            store.submissions().submit(List.of(Submission.of("job", Payload.text("input"))));
        }
        return engine.grants()
                .claimForWorker(new Claim(session, 1, count), Grants.DEFAULT_TTL)
                .grants();
    }

    private SessionId opened() {
        var opened = Session.of("worker", "worker-1", "default").ttl(Duration.ofHours(1));
        store.sessions().open(opened);
        return opened.id();
    }
}
