package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Packer;

import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What becomes of counts that somebody has written past the store. */
class ValkeyRecountTest {
    private static final Attribution OLGA = new Attribution("olga", "to see");
    private static final Policy MAIL = Policy.DEFAULT.quota("mail");
    private static final Policy TEAM = Policy.DEFAULT.budget("team", Map.of("tokens", 40L));

    private final KeySpace keys = TestRedis.keys("recount-" + UUID.randomUUID());
    private final ValkeyStore store =
            new ValkeyStore(TestRedis.oneNode().wire(keys), Optional.empty(), Optional.empty());
    private final Session session = Session.of("worker", "instance", "default");
    private long claims;

    @BeforeEach
    void define() {
        store.quotas().define(Quota.atOnce("mail", 3), OLGA);
        store.budgets().define(Budget.of("team", "tokens", 100), OLGA);
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void a_meter_that_says_too_much_is_put_right_and_lets_work_in_again() {
        submit(MAIL, 3);
        assertThat(claim(1)).hasSize(1);
        damageMeter(3);
        assertThat(claim(3)).isEmpty();

        assertThat(store.quotas().recount(Namespace.DEFAULT))
                .isEqualTo(
                        new QuotaRecount(
                                1, List.of(new QuotaRecount.Drift(QuotaUse.of("mail"), 3, 1))));

        assertThat(claim(3)).hasSize(2);
        assertThat(store.quotas().recount(Namespace.DEFAULT).drifts()).isEmpty();
        assertThat(told()).containsExactly(tuple("quota mail", 3L, 1L));
    }

    @Test
    void a_meter_that_is_gone_is_put_right_before_it_lets_too_much_in() {
        submit(MAIL, 5);
        assertThat(claim(3)).hasSize(3);
        write("meter", "default\0mail\0", Optional.empty());

        assertThat(store.quotas().recount(Namespace.DEFAULT).drifts())
                .containsExactly(new QuotaRecount.Drift(QuotaUse.of("mail"), 0, 3));

        assertThat(claim(3)).isEmpty();
    }

    @Test
    void what_waited_behind_a_meter_that_was_lost_goes_on_after_a_recount() {
        submit(MAIL, 5);
        var leases = claim(3);
        assertThat(claim(1)).isEmpty();
        write("meter", "default\0mail\0", Optional.empty());

        store.quotas().recount(Namespace.DEFAULT);

        assertThat(claim(1)).isEmpty();
        complete(leases.get(0));
        assertThat(claim(3)).hasSize(1);
        complete(leases.get(1));
        assertThat(claim(3)).hasSize(1);
    }

    @Test
    void what_waited_behind_a_budget_that_was_overwritten_goes_on_after_a_recount() {
        submit(TEAM, 4);
        var leases = claim(2);
        assertThat(claim(1)).isEmpty();
        damageBudget(0);

        store.budgets().recount(Namespace.DEFAULT);

        assertThat(claim(1)).isEmpty();
        complete(leases.get(0));
        assertThat(claim(3)).hasSize(1);
        complete(leases.get(1));
        assertThat(claim(3)).hasSize(1);
    }

    private void complete(Lease lease) {
        var ending = new Ending.Complete(lease.fence(), Payload.EMPTY);
        store.leases().end(List.of(ending)).getFirst().orThrow();
    }

    @Test
    void what_a_budget_has_set_aside_is_put_right() {
        submit(TEAM, 3);
        assertThat(claim(1)).hasSize(1);
        damageBudget(100);
        assertThat(claim(1)).isEmpty();

        assertThat(store.budgets().recount(Namespace.DEFAULT))
                .isEqualTo(
                        new BudgetRecount(
                                1, List.of(new BudgetRecount.Drift("team", "tokens", 100, 40))));

        assertThat(claim(3)).hasSize(1);
        assertThat(told()).containsExactly(tuple("budget team: tokens", 100L, 40L));
    }

    private void damageMeter(int running) {
        var meter = new Packer().list(3).number(running).text("").number(0).done();
        write("meter", "default\0mail\0", Optional.of(meter));
    }

    private void damageBudget(int held) {
        var budget =
                new Packer()
                        .list(10)
                        .truth(true)
                        .truth(false)
                        .absent()
                        .truth(false)
                        .absent()
                        .absent()
                        .list(1)
                        .list(5)
                        .text("tokens")
                        .absent()
                        .number(100)
                        .number(0)
                        .number(held)
                        .number(0)
                        .text("{\"dimensions\":{\"tokens\":{\"hard\":100}}}")
                        .number(0)
                        .done();
        write("budget", "default\0team", Optional.of(budget));
    }

    private void write(String hash, String field, Optional<byte[]> value) {
        var key = keys.key(Partition.of(Namespace.DEFAULT), hash);
        var commands = TestRedis.oneNode().direct();
        value.ifPresentOrElse(
                bytes -> commands.hset(key, field.getBytes(UTF_8), bytes),
                () -> commands.hdel(key, field.getBytes(UTF_8)));
    }

    private void submit(Policy policy, int count) {
        for (int i = 0; i < count; i++) {
            var work = Submission.of("job", Payload.text("it")).policy(policy);
            store.submissions().submit(List.of(work)).getFirst().orThrow();
        }
    }

    private List<Lease> claim(int max) {
        return store.claims().claim(new Claim(session.id(), ++claims, max)).leases();
    }

    private List<Tuple> told() {
        var feeds = store.feeds();
        return feeds
                .read(FeedFilter.of(Topic.EVERYTHING), feeds.beginning(), 100)
                .entries()
                .stream()
                .map(Feeds.Entry::event)
                .filter(Event.Drifted.class::isInstance)
                .map(Event.Drifted.class::cast)
                .map(drift -> tuple(drift.of(), drift.said(), drift.found()))
                .toList();
    }
}
