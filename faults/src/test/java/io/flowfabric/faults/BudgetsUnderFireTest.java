package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.contract.Budget;
import io.flowfabric.core.contract.Budget.Enforcement;
import io.flowfabric.core.contract.BudgetRecount;
import io.flowfabric.core.contract.BudgetView.Level;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.Spent;
import io.flowfabric.core.contract.Submission;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A {@link Fire} at thousands of executions that set tokens aside and report what they use of them.
 * The server itself notes the most that was ever used and set aside beyond a limit, with every
 * single write.
 */
class BudgetsUnderFireTest {
    private static final String TOKENS = WorkerProgram.TOKENS;
    private static final long SET_ASIDE = 10;
    private static final long USED_LOOSELY = 3 * SET_ASIDE;
    private static final By OPERATOR = new By("ada", "what we can afford");
    private static final Duration PERIOD = Duration.ofMillis(700);

    private static final Policy POLICY =
            Policy.DEFAULT.retry(Retry.times(5).backoff(Backoff.fixed(Duration.ofMillis(20))));

    private final World world = new World();
    private final Random random = new Random(13);

    /** What "house" and "team" may use; it grows. */
    private long allowed;

    @BeforeEach
    void define() {
        Servers.execute(world.options, WITNESS.replace("SCHEMA", world.schema.text()));
        raise();
        define(Budget.of("period", TOKENS, 1_000).period(PERIOD));
        define(Budget.of("loose", TOKENS, 1_000).period(PERIOD));
        define(
                Budget.of("strict", TOKENS, 500)
                        .period(PERIOD)
                        .enforcement(Enforcement.CANCEL));
    }

    /** A parent that is reached before the one below it is, or after it. */
    private void raise() {
        allowed += 2_000;
        define(Budget.of("house", TOKENS, allowed + random.nextInt(-20, 20) * SET_ASIDE));
        define(Budget.of("team", TOKENS, allowed).parent("house"));
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, OPERATOR);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void no_budget_is_overshot_by_more_than_the_admitted_work_and_what_is_set_aside_comes_back_once() {
        var fire = new Fire(world, random, this::work);
        var rounds = new int[1];

        fire.burn(
                () -> {
                    raise();
                    if (++rounds[0] > Fire.KILLS) {
                        allowed = 1_000_000;
                        raise();
                    }
                });

        var replay = new LeaseReplay();
        fire.replay(replay);
        System.out.printf(
                "%,d executions: %s; beyond the limit: house %d, team %d, period %d, loose %d, strict %d%n",
                fire.ids().size(),
                replay,
                beyond("house"),
                beyond("team"),
                beyond("period"),
                beyond("loose"),
                beyond("strict"));
        assertThat(replay.faults()).isEmpty();
        assertThat(Math.max(beyond("team"), beyond("house")))
                .as("reached, and not exceeded")
                .isZero();
        assertThat(beyond("period")).isZero();
        assertThat(beyond("loose"))
                .as("by no more than what was admitted used beyond what it set aside")
                .isPositive()
                .isLessThanOrEqualTo((USED_LOOSELY - SET_ASIDE) * Fire.PLACES);
        assertThat(beyond("strict")).isLessThanOrEqualTo(2 * SET_ASIDE * Fire.PLACES);
        for (var budget : List.of("house", "team", "period", "loose", "strict")) {
            assertThat(level(budget).held()).as("what is set aside when nothing runs").isZero();
        }
        assertThat(level("team").used()).isEqualTo(reported(fire)).isPositive();
        assertThat(level("house")).isEqualTo(level("team"));
        assertThat(world.store().budgets().recount(Namespace.DEFAULT))
                .isEqualTo(new BudgetRecount(5, List.of()));
        assertThat(replay.times(Transition.LAPSE)).isGreaterThan(Fire.KILLS);
        assertThat(replay.times(Transition.RETRY)).isGreaterThan(Fire.BATCH / 2);
        assertThat(cancelledByBreach()).as("by the budget that cancels").isPositive();
    }

    private Submission work() {
        return switch (random.nextInt(6)) {
            case 0, 1, 2 -> drawing("team", SET_ASIDE, "team 4 6");
            case 3 -> drawing("period", SET_ASIDE, "period 10");
            case 4 -> drawing("loose", SET_ASIDE, "loose 5 5 20");
            default -> drawing("strict", 0, "strict 10 10");
        };
    }

    private static Submission drawing(String budget, long aside, String input) {
        return Submission.of(WorkerProgram.SPENDING, Payload.text(input))
                .lane(World.LANE)
                .policy(POLICY.budget(budget, Map.of(TOKENS, aside)));
    }

    private Level level(String budget) {
        var view = world.store().budgets().describe(Namespace.DEFAULT, budget);
        return view.levels().getOrDefault(TOKENS, Level.ZERO);
    }

    /** What the ledgers say was used of "team", which never begins at zero again. */
    private long reported(Fire fire) {
        return fire.ids().stream()
                .flatMap(id -> world.store().budgets().ledger(id).stream())
                .filter(spent -> spent.budget().equals("team"))
                .mapToLong(Spent::amount)
                .sum();
    }

    private long cancelledByBreach() {
        return Servers.number(
                world.options,
                "select count(*) from %s.event where transition = 'cancel' and reason like 'budget strict: %%'"
                        .formatted(world.schema));
    }

    /** The most that was ever used and set aside beyond the limit of that moment. */
    private long beyond(String budget) {
        return Servers.number(
                world.options,
                "select beyond from %1$s.most join %1$s.budget on id = most.budget where name = '%2$s'"
                        .formatted(world.schema, budget));
    }

    private static final String WITNESS =
            """
            create table SCHEMA.most (budget integer primary key, beyond bigint not null);
            create function SCHEMA.note_most() returns trigger language plpgsql as '
            begin
                insert into SCHEMA.most as m values (new.budget, new.used + new.held - new.cap)
                on conflict (budget) do update set beyond = excluded.beyond where excluded.beyond > m.beyond;
                return null;
            end
            ';
            create trigger note_most after insert or update on SCHEMA.meter
            for each row when (new.budget is not null and new.cap is not null)
            execute function SCHEMA.note_most();
            """;
}
