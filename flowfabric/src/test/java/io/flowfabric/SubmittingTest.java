package io.flowfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.Unavailable;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** How keys decide what becomes of a submission. */
class SubmittingTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Kind<String, String> MAIL = Kind.of("mail", String.class, String.class);

    private final FlowFabric fabric =
            FlowFabric.on(new MemoryStore(InstantSource.system()), FabricOptions.DEFAULT);

    @AfterEach
    void close() {
        fabric.close();
    }

    @Test
    void an_exact_key_refuses_other_content() {
        fabric.submit(MAIL.with("tea").exactKey("ada"));

        assertThat(fabric.submit(MAIL.with("tea").exactKey("ada")).created()).isFalse();
        assertThatThrownBy(() -> fabric.submit(MAIL.with("milk").exactKey("ada")))
                .isInstanceOf(Conflict.class);
    }

    @Test
    void a_key_while_pending_is_free_again_once_the_work_has_ended() throws Exception {
        var first = fabric.submit(MAIL.with("tea").uniqueWhilePending("ada"));
        assertThat(fabric.submit(MAIL.with("milk").uniqueWhilePending("ada")).id())
                .isEqualTo(first.id());

        fabric.worker("mailer").on(MAIL, (task, what) -> what).start();
        first.await(SOON);

        var second = fabric.submit(MAIL.with("milk").uniqueWhilePending("ada"));
        assertThat(second.created()).isTrue();
        assertThat(second.await(SOON)).isEqualTo("milk");
    }

    @Test
    void what_is_throttled_is_submitted_once_in_a_period() {
        var period = Duration.ofDays(1000);
        var first = fabric.submit(MAIL.with("tea").throttle("ada", period));

        assertThat(fabric.submit(MAIL.with("milk").throttle("ada", period)).id())
                .isEqualTo(first.id());
        assertThat(fabric.submit(MAIL.with("milk").throttle("bob", period)).created()).isTrue();
        assertThat(fabric.submit(MAIL.with("milk").throttle("ada", SOON)).created()).isTrue();
    }

    @Test
    void of_what_is_debounced_the_last_one_runs() {
        var first = fabric.submit(MAIL.with("tea").debounce("ada", Duration.ofHours(1)));
        var other = fabric.submit(MAIL.with("tea").debounce("bob", Duration.ofHours(1)));
        var last = fabric.submit(MAIL.with("milk").debounce("ada", Duration.ofHours(1)));

        assertThat(List.of(first, other, last))
                .extracting(work -> work.describe().state().publicState())
                .containsExactly(PublicState.CANCELLED, PublicState.DELAYED, PublicState.DELAYED);
    }

    @Test
    void many_are_submitted_and_each_is_answered() {
        var answers =
                fabric.submitAll(
                        List.of(
                                MAIL.with("tea").exactKey("ada"),
                                MAIL.with("milk").exactKey("ada"),
                                MAIL.with("milk")));

        assertThat(answers)
                .extracting(answer -> answer.isDone())
                .containsExactly(true, false, true);
    }

    @Test
    void only_postgres_takes_part_in_a_transaction() {
        fabric.worker("mailer")
                .on(MAIL, (task, what) -> task.transaction("store", String.class, rows -> what))
                .permanent(Unavailable.class)
                .start();
        var work = fabric.submit(MAIL.with("tea"));

        assertThatThrownBy(() -> work.await(SOON))
                .hasMessageContaining("Transactions of the program need a store on Postgres");
    }
}
