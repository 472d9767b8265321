package io.flowfabric.core.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.codec.WaitCodec;
import io.flowfabric.core.signal.Condition.Distinct;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

class ConditionTest {
    private static final List<Distinct> KINDS = List.of(Distinct.values());

    private static long numbers;

    private static SignalHead head(String waitpoint, String name, String actor) {
        return new SignalHead(++numbers, waitpoint, name, actor);
    }

    private static Condition after(Condition condition, SignalHead... heads) {
        for (SignalHead head : heads) {
            condition = condition.after(head);
        }
        return condition;
    }

    @Test
    void one_signal_meets_a_wait_for_one() {
        var any = Condition.signal("boss");
        var named = Condition.signal("boss", "yes");

        assertThat(after(any, head("bank", "yes", "ada"))).isEqualTo(any);
        assertThat(after(any, head("boss", "no", "ada")).met()).isTrue();
        assertThat(after(named, head("boss", "no", "ada"))).isEqualTo(named);
        assertThat(after(named, head("boss", "yes", "ada")).met()).isTrue();
    }

    @Test
    void what_is_met_of_all_is_left_out() {
        var both = Condition.all(Condition.signal("boss"), Condition.signal("bank"));

        assertThat(after(both, head("bank", "yes", "ada")))
                .isEqualTo(Condition.all(Condition.signal("boss")));
        assertThat(both.waitpoints()).containsExactly("boss", "bank");
    }

    @Test
    void signals_count_apart_by_what_they_differ_in() {
        var two = List.of("boss", "bank");
        var ada = head("boss", "yes", "ada");
        var adaAgain = head("boss", "yes", "ada");
        var adaElsewhere = head("bank", "yes", "ada");
        var bob = head("boss", "yes", "bob");

        assertThat(after(atLeast(Distinct.SIGNALS, two), ada, adaAgain).met()).isTrue();
        assertThat(after(atLeast(Distinct.SOURCES, two), ada, adaElsewhere).met()).isFalse();
        assertThat(after(atLeast(Distinct.SOURCES, two), ada, bob).met()).isTrue();
        assertThat(after(atLeast(Distinct.WAITPOINTS, two), ada, bob).met()).isFalse();
        assertThat(after(atLeast(Distinct.WAITPOINTS, two), ada, adaElsewhere).met()).isTrue();
    }

    private static Condition atLeast(Distinct by, List<String> waitpoints) {
        return new Condition.AtLeast(2, by, waitpoints, Optional.empty());
    }

    @Test
    void nothing_meets_what_no_signal_meets_and_what_is_met_stays_so() {
        assertThat(after(Condition.none(), head("boss", "yes", "ada"))).isEqualTo(Condition.none());
        assertThat(after(new Condition.Met(), head("boss", "yes", "ada")).met()).isTrue();
    }

    @Test
    void what_is_met_or_used_up_cannot_be_asked_for() {
        assertRefused(new Condition.Met());
        assertRefused(after(atLeast(Distinct.SIGNALS, List.of("boss")), head("boss", "x", "y")));
        assertRefused(Condition.all(Condition.none(), Condition.signal("boss")));
    }

    private static void assertRefused(Condition condition) {
        assertThatThrownBy(() -> Suspension.until("x", condition))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        refusal ->
                                assertThat(refusal.code())
                                        .isEqualTo(Invalid.Code.IMPOSSIBLE_CONDITION));
    }

    /** A condition is met exactly when the signals say so that came, in whatever order. */
    @Test
    void what_is_left_agrees_with_all_that_came() {
        for (int seed = 0; seed < 2000; seed++) {
            var chance = new Random(seed);
            var asked = condition(chance, 1);
            var left = asked;
            var came = new ArrayList<SignalHead>();
            for (int n = 0; n < 12; n++) {
                var head =
                        head(
                                pick(chance, "a", "b"),
                                pick(chance, "x", "y"),
                                pick(chance, "p", "q"));
                came.add(head);
                left = WaitCodec.condition(WaitCodec.write(left)).after(head);
                assertThat(left.met()).as("%s after %s", asked, came).isEqualTo(met(asked, came));
                if (left.met()) {
                    break;
                }
            }
        }
    }

    private static Condition condition(Random chance, int depth) {
        return switch (chance.nextInt(depth < 3 ? 4 : 2)) {
            case 0 ->
                    new Condition.One(
                            pick(chance, "a", "b"),
                            chance.nextBoolean() ? Optional.empty() : Optional.of("x"));
            case 1 ->
                    new Condition.AtLeast(
                            1 + chance.nextInt(2),
                            KINDS.get(chance.nextInt(KINDS.size())),
                            List.of("a", "b"),
                            chance.nextBoolean() ? Optional.empty() : Optional.of("x"));
            default -> Condition.all(condition(chance, depth + 1), condition(chance, depth + 1));
        };
    }

    private static String pick(Random chance, String one, String other) {
        return chance.nextBoolean() ? one : other;
    }

    /** The same, said plainly. */
    private static boolean met(Condition condition, List<SignalHead> came) {
        return switch (condition) {
            case Condition.One one -> came.stream().anyMatch(head -> one.after(head).met());
            case Condition.All all -> all.conditions().stream().allMatch(part -> met(part, came));
            case Condition.AtLeast some ->
                    came.stream()
                                    .filter(head -> some.waitpoints().contains(head.waitpoint()))
                                    .filter(
                                            head ->
                                                    some.signal()
                                                            .map(head.name()::equals)
                                                            .orElse(true))
                                    .map(some.by()::of)
                                    .distinct()
                                    .count()
                            >= some.count();
            case Condition.Met met -> true;
            case Condition.Never never -> false;
        };
    }
}
