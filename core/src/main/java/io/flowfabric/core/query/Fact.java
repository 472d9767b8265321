package io.flowfabric.core.query;

import static java.util.stream.Collectors.joining;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Something that bears on why an execution runs or does not: data for a program, and words for
 * people.
 *
 * <p>One record for each kind of thing that can hold work back. Whatever learns to hold it back
 * adds a record here, and says in {@code ExecutionExplainer} when it is shown.
 */
public sealed interface Fact {
    /** The fact in words, without a full stop. */
    String words();

    /**
     * The step that led the execution to where it is.
     *
     * @param by who took it, when it was not the holder of the lease
     */
    record Step(Transition transition, Instant at, Optional<Attribution> by) implements Fact {
        @Override
        public String words() {
            return "last step: %s at %s%s".formatted(transition.wire(), at, signed(by));
        }
    }

    /**
     * Its lane keeps its work.
     *
     * @param by who closed the lane; absent when that is no longer remembered
     */
    record ClosedLane(Lane lane, LaneSettings.State state, Instant since, Optional<Attribution> by)
            implements Fact {
        @Override
        public String words() {
            return "lane %s is %s since %s%s".formatted(lane, state.wire(), since, signed(by));
        }
    }

    /**
     * It waits for a time.
     *
     * @param next what the next lease is for, which tells who asked for the delay
     */
    record Delay(Instant until, DelayedBy by, LeasePurpose next) implements Fact {
        @Override
        public String words() {
            return switch (by) {
                case REQUEST ->
                        "delayed until %s, as %s asked"
                                .formatted(until, next.begun() ? "its worker" : "its submission");
                case BACKOFF -> "backing off until %s".formatted(until);
                case RESUMPTION -> "resumes at %s".formatted(until);
            };
        }
    }

    /**
     * How its last attempt that failed did so.
     *
     * @param retries how many retries were decided so far
     * @param maxRetries how many there are
     */
    record LastFailure(Failure failure, int retries, int maxRetries) implements Fact {
        @Override
        public String words() {
            var why = "%s: %s".formatted(failure.category(), failure.message());
            if (retries == 0) {
                return "last failure " + why;
            }
            // A worker may decide otherwise than the policy, and try more often.
            var of = retries > maxRetries ? "" : " of " + number(maxRetries);
            return "retry %s%s, after %s".formatted(number(retries), of, why);
        }
    }

    /**
     * Who there is to take it.
     *
     * @param serving live workers that take work from its lane
     * @param able those among them that can handle it
     * @param held how many executions these hold now
     * @param obstacle why none of them can, in words
     */
    record Workers(Lane lane, int serving, int able, int held, Optional<String> obstacle)
            implements Fact {
        @Override
        public String words() {
            return obstacle.orElseGet(
                    () -> serving == 0 ? "no live worker in lane " + lane : whoCan());
        }

        private String whoCan() {
            return "%s of %s in lane %s can take it, holding %s"
                    .formatted(
                            number(able),
                            counted(serving, "live worker"),
                            lane,
                            held == 0 ? "nothing" : counted(held, "execution"));
        }
    }

    /** How a quota stands that it counts against. */
    record Quota(QuotaView view) implements Fact {
        @Override
        public String words() {
            return view.inWords();
        }
    }

    /**
     * How a budget stands that it draws on, itself or through one below.
     *
     * @param use what would be set aside for it
     */
    record Budget(BudgetView view, BudgetUse use) implements Fact {
        /** Whether the budget leaves enough for it. */
        public boolean open() {
            return view.open(use.reserve());
        }

        /** When it does, if that takes nothing but the end of the period. */
        public Optional<Instant> opens() {
            return view.opens(use.reserve());
        }

        @Override
        public String words() {
            return view.obstacle(use.reserve()).orElseGet(view::inWords);
        }
    }

    /**
     * How many executions come before it in the order of its lane. Counted are those that a worker
     * which could take it could take as well; while there is no such worker, those of the same kind
     * with the same needs. What a budget or a quota holds back does not count.
     *
     * @param count no more than {@link #MOST}
     * @param more whether there are more than that
     */
    record Ahead(int count, boolean more) implements Fact {
        /** Counting stops here: the exact number of more than these explains nothing. */
        public static final int MOST = 1000;

        /**
         * What there is to tell.
         *
         * @param seen as many as there are, or {@link #MOST} and one
         */
        public static Ahead of(int seen) {
            return new Ahead(Math.min(seen, MOST), seen > MOST);
        }

        @Override
        public String words() {
            return switch (count) {
                case 0 -> "nothing is ahead of it";
                case 1 -> "1 execution is ahead of it";
                default ->
                        "%s%s executions are ahead of it"
                                .formatted(more ? "more than " : "", number(count));
            };
        }
    }

    /**
     * Who runs it.
     *
     * @param since when its lease began
     * @param lastHeard the last sign of life
     * @param aliveUntil when the worker dies without another one; of a dead one, when it died
     */
    record Holder(Owner owner, Instant since, Instant lastHeard, Instant aliveUntil)
            implements Fact {
        /** Whether the session that holds it lives at that moment. */
        public boolean alive(Instant now) {
            return aliveUntil.isAfter(now);
        }

        @Override
        public String words() {
            return "on worker %s, instance %s, since %s, last heard of at %s"
                    .formatted(owner.worker(), owner.instance(), since, lastHeard);
        }
    }

    /** How far it is, as its worker last reported. */
    record Reported(ExecutionView.Done done) implements Fact {
        @Override
        public String words() {
            return "%d %% done at %s%s"
                    .formatted(
                            done.percent(),
                            done.at(),
                            done.message().isEmpty() ? "" : ": " + done.message());
        }
    }

    /** When it ends as expired, whatever it is by then. */
    record Deadline(Instant at) implements Fact {
        @Override
        public String words() {
            return "deadline at %s".formatted(at);
        }
    }

    /**
     * What a suspended execution waits for.
     *
     * @param name of the wait
     * @param left what is still to come, in words
     * @param arrived the signals that have counted so far
     */
    record Waits(String name, String left, List<SignalHead> arrived) implements Fact {
        /** What is told of a wait. */
        public static Waits of(Awaiting.Wait wait) {
            return new Waits(wait.name(), wait.left().words(), wait.counted());
        }

        @Override
        public String words() {
            return "in %s it waits for %s; %s"
                    .formatted(
                            name,
                            left,
                            arrived.isEmpty()
                                    ? "nothing has arrived"
                                    : arrived.stream()
                                            .map(
                                                    head ->
                                                            "%s from %s at %s"
                                                                    .formatted(
                                                                            head.name(),
                                                                            head.actor(),
                                                                            head.waitpoint()))
                                            .collect(joining(", ", "arrived: ", "")));
        }
    }

    /**
     * What a member of a flow waits for.
     *
     * @param needed how many more of the members before it it needs
     * @param first those among them that have not ended, in their order, no more than {@link #MOST}
     * @param more how many there are besides these
     * @param missed how many of those before it ended without the success that it needs
     * @param growing whether others may still come before it, so that it does not start
     */
    record PendingUpstreams(
            int needed, List<PendingMember> first, int more, int missed, boolean growing)
            implements Fact {
        /** More than these are counted, and not named. */
        public static final int MOST = 20;

        /** A member that is waited for, and what it is. */
        public record PendingMember(String name, PublicState state) {
            @Override
            public String toString() {
                return "%s (%s)".formatted(name, state.wire());
            }
        }

        public PendingUpstreams {
            first = List.copyOf(first);
        }

        /**
         * What there is to tell of a member that waits.
         *
         * @param edges how many come before it
         * @param met how many of them count as had
         * @param pending those that have not ended, or the first {@link #MOST} of them
         */
        public static PendingUpstreams of(
                Join join,
                boolean growing,
                int edges,
                int met,
                int missed,
                List<PendingMember> pending) {
            return new PendingUpstreams(
                    Math.max(0, join.needed(edges) - met),
                    pending,
                    Math.max(0, edges - met - missed - pending.size()),
                    missed,
                    growing);
        }

        @Override
        public String words() {
            var parts = new ArrayList<String>();
            if (growing) {
                parts.add("waits to be sealed");
            }
            if (!first.isEmpty()) {
                parts.add((growing ? "and for " : "waits for ") + some());
            }
            if (parts.isEmpty()) {
                parts.add("waits for members of its flow");
            }
            var ended = missed == 0 ? "" : "; %s of those before it did not succeed";
            return String.join(", ", parts) + ended.formatted(number(missed));
        }

        private String some() {
            var names = first.stream().map(PendingMember::toString).collect(joining(", "));
            var all = more == 0 ? names : "%s and %s more".formatted(names, number(more));
            // Of an unsealed member it is not known how many it will need.
            boolean every = growing || needed >= first.size() + more;
            return every ? all : "%s of %s".formatted(number(needed), all);
        }
    }

    /** It has ended. */
    record End(Outcome outcome, Instant at) implements Fact {
        @Override
        public String words() {
            return "%s at %s".formatted(outcome.situation().publicState().wire(), at);
        }
    }

    /** Who did it, as the end of a sentence. */
    private static String signed(Optional<Attribution> by) {
        return by.map(who -> ", by %s: %s".formatted(who.actor(), who.reason())).orElse("");
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String counted(int count, String thing) {
        return number(count) + " " + thing + (count == 1 ? "" : "s");
    }
}
