package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Work that sets tokens aside and reports what it uses of them, and that is part of a {@link Fire}.
 * The server itself notes the most that was ever used and set aside beyond a limit, with every
 * single write.
 */
final class BudgetsUnderFire {
    private static final String TOKENS = WorkerProgram.TOKENS;
    private static final long SET_ASIDE = 10;
    private static final long USED_LOOSELY = 3 * SET_ASIDE;
    private static final long USED_STRICTLY = 20;
    private static final long ENOUGH = 1_000_000;
    private static final Attribution OPERATOR = new Attribution("ada", "what we can afford");

    private static final Policy POLICY =
            Policy.DEFAULT.retry(Retry.retries(5).backoff(Backoff.fixed(Duration.ofMillis(20))));

    private static final List<String> BUDGETS =
            List.of("house", "team", "period", "loose", "strict");

    private final FaultScenario world;
    private final Random random;
    private int rounds;

    BudgetsUnderFire(FaultScenario world, Random random) {
        this.world = world;
        this.random = random;
    }

    void define() {
        Servers.execute(world.options(), WITNESS.replace("SCHEMA", world.schema().text()));
        define(Budget.of("period", TOKENS, 50).period(Duration.ofMillis(500)));
        define(Budget.of("loose", TOKENS, 300));
        define(Budget.of("strict", TOKENS, 200).enforcement(Enforcement.CANCEL));
        raise(400);
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, OPERATOR);
    }

    /** The one above is reached before the one below it is, or after it. */
    private void raise(long tokens) {
        define(Budget.of("house", TOKENS, tokens + random.nextInt(-10, 10) * SET_ASIDE));
        define(Budget.of("team", TOKENS, tokens).parent("house"));
    }

    /** No budget was overshot by more than was admitted, and what was set aside came back once. */
    void judge(Fire fire) {
        var replay = new LeaseReplay();
        fire.replay(replay);
        var beyond = BUDGETS.stream().collect(Collectors.toMap(name -> name, this::beyond));
        System.out.printf(
                "%,d executions: %s; at most beyond the limit: %s%n",
                fire.ids().size(), replay, beyond);
        assertThat(replay.faults()).isEmpty();
        assertThat(beyond.get("team")).isNotPositive();
        assertThat(beyond.get("house")).isNotPositive();
        assertThat(beyond.get("period")).isNotPositive();
        assertThat(beyond.get("loose"))
                .as("by no more than what was admitted used beyond what it set aside")
                .isLessThanOrEqualTo((USED_LOOSELY - SET_ASIDE) * Fire.PLACES);
        assertThat(beyond.get("strict")).isLessThanOrEqualTo(USED_STRICTLY * Fire.PLACES);
        for (var budget : BUDGETS) {
            assertThat(level(budget).held()).as("set aside while nothing runs").isZero();
        }
        assertThat(level("team").used()).isEqualTo(reported(fire));
        assertThat(level("house")).isEqualTo(level("team"));
        assertThat(world.store().budgets().recount(Namespace.DEFAULT))
                .isEqualTo(new BudgetRecount(BUDGETS.size(), List.of()));
    }

    /** The fire was long enough to show it. */
    void assertBurnt(Fire fire) {
        var replay = new LeaseReplay();
        fire.replay(replay);
        assertThat(beyond("loose")).as("a limit that was reached").isPositive();
        assertThat(replay.times(Transition.LAPSE)).isGreaterThan(Fire.KILLS);
        assertThat(replay.times(Transition.RETRY)).isGreaterThan(Fire.BATCH / 2);
        assertThat(cancelledByBreach()).as("by the budget that cancels").isPositive();
    }

    /** Waits until nothing starts any more behind these budgets, and lets it go on. */
    void useUpAndGoOn() {
        for (var budget : List.of("team", "loose", "strict")) {
            Waiting.until(budget + " is used up", Duration.ofMinutes(1), () -> usedUp(budget));
        }
        rounds++;
        if (rounds > Fire.KILLS) {
            lift();
        } else {
            goOn(400 + rounds * 400L);
        }
    }

    private void goOn(long tokens) {
        raise(tokens);
        world.store().budgets().reset(Namespace.DEFAULT, "loose", OPERATOR);
        world.store().budgets().reset(Namespace.DEFAULT, "strict", OPERATOR);
    }

    /** Gives everybody more than there is to do. */
    private void lift() {
        raise(ENOUGH);
        define(Budget.of("period", TOKENS, ENOUGH).period(Duration.ofMillis(500)));
        define(Budget.of("loose", TOKENS, ENOUGH));
        define(Budget.of("strict", TOKENS, ENOUGH).enforcement(Enforcement.CANCEL));
    }

    /** Itself, or the one above it. */
    private boolean usedUp(String budget) {
        var needed = Map.of(TOKENS, SET_ASIDE);
        return !view(budget).open(needed) || (budget.equals("team") && !view("house").open(needed));
    }

    Submission work() {
        return switch (random.nextInt(6)) {
            case 0, 1, 2 -> drawing("team", SET_ASIDE, "team 4 6");
            case 3 -> drawing("period", SET_ASIDE, "period 10");
            case 4 -> drawing("loose", SET_ASIDE, "loose 5 5 20");
            default -> drawing("strict", 0, "strict 10 10");
        };
    }

    private static Submission drawing(String budget, long aside, String input) {
        return Submission.of(WorkerProgram.SPENDING, Payload.text(input))
                .lane(FaultScenario.LANE)
                .policy(POLICY.budget(budget, Map.of(TOKENS, aside)));
    }

    private BudgetView view(String budget) {
        return world.store().budgets().describe(Namespace.DEFAULT, budget);
    }

    private Level level(String budget) {
        return view(budget).levels().getOrDefault(TOKENS, Level.ZERO);
    }

    /** What the ledgers say was used of "team", which never begins at zero again. */
    private long reported(Fire fire) {
        return fire.ids().stream()
                .flatMap(id -> world.store().budgets().ledger(id).stream())
                .filter(spent -> spent.budget().equals("team"))
                .mapToLong(UsageEntry::amount)
                .sum();
    }

    private long cancelledByBreach() {
        return Servers.number(
                world.options(),
                "select count(*) from %s.event where transition = 'cancel' and reason like 'budget strict: %%'"
                        .formatted(world.schema()));
    }

    /** The most that was ever used and set aside beyond the limit of that moment. */
    private long beyond(String budget) {
        return Servers.number(
                world.options(),
                "select beyond from %1$s.most join %1$s.budget on id = most.budget where name = '%2$s'"
                        .formatted(world.schema(), budget));
    }

    private static final String WITNESS =
            """
            create table SCHEMA.most (budget integer primary key, beyond bigint not null);
            create function SCHEMA.note_most() returns trigger language plpgsql as '
            begin
                insert into SCHEMA.most as m values (new.budget, new.used + new.reserved - new.enforced_limit)
                on conflict (budget) do update set beyond = excluded.beyond where excluded.beyond > m.beyond;
                return null;
            end
            ';
            create trigger note_most after insert or update on SCHEMA.meter
            for each row when (new.budget is not null and new.enforced_limit is not null)
            execute function SCHEMA.note_most();
            """;
}
