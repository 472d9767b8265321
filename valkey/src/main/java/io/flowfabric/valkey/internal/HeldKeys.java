package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Partition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntPredicate;

/**
 * Idempotency keys of work that lies elsewhere than its key leads to. Before such work is stored
 * its key is held where all other work with that key would be met. What was held, and never came,
 * is given up after a while; the work itself is not taken any more by then.
 */
final class HeldKeys {
    private static final Logger log = LoggerFactory.getLogger(HeldKeys.class);

    /** So long work may take from where its key is held to where it is stored. */
    private static final Duration ON_THE_WAY = Duration.ofSeconds(30);

    /** After so long nothing that has not come will: clocks of two servers differ by less. */
    private static final Duration GIVEN_UP = ON_THE_WAY.multipliedBy(2);

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private static final Optional<Instant> NOT_HELD = Optional.empty();

    private final ValkeyContext valkey;
    private final StrayWork strays;

    HeldKeys(ValkeyContext valkey, StrayWork strays) {
        this.valkey = valkey;
        this.strays = strays;
    }

    /**
     * Keys that are held.
     *
     * @param used the answers for what is not to be stored, because its key is used; by place
     * @param fresh since when those keys are held that were not held before; by place
     * @param latest when the rest has to be stored; nothing if there is no hurry
     */
    record Held(
            Map<Integer, Answer<Submitted>> used,
            Map<Integer, Instant> fresh,
            Optional<Instant> latest) {}

    /**
     * The same work in its order, cut so that in none of the parts two pieces want to hold the same
     * key: the later one finds what became of the first. Two with the same id are no exception: one
     * of them may be refused, and gives up what it held.
     */
    List<List<Submission>> apart(List<Submission> submissions, Partition home) {
        var parts = new ArrayList<List<Submission>>();
        var wanted = new HashSet<String>();
        int from = 0;
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            if (!isHome(submission, home) && !wanted.add(unique(submission))) {
                parts.add(submissions.subList(from, i));
                from = i;
                wanted.clear();
                wanted.add(unique(submission));
            }
        }
        parts.add(submissions.subList(from, submissions.size()));
        return parts;
    }

    /** Whether the key of some work, if it has one, leads to where it is to be stored. */
    boolean isHome(Submission submission, Partition home) {
        return submission.key().isEmpty()
                || keyPartition(submission).filter(at -> !at.equals(home)).isEmpty();
    }

    /** Holds the keys of work that is about to be stored. */
    Held hold(List<Submission> submissions, Partition home) {
        var places = new LinkedHashMap<Partition, List<Integer>>();
        for (int i = 0; i < submissions.size(); i++) {
            int place = i;
            keyPartition(submissions.get(i))
                    .filter(at -> !at.equals(home))
                    .ifPresent(
                            at ->
                                    places.computeIfAbsent(at, first -> new ArrayList<>())
                                            .add(place));
        }
        var used = new HashMap<Integer, Answer<Submitted>>();
        var fresh = new HashMap<Integer, Instant>();
        Optional<Instant> latest = Optional.empty();
        for (var group : places.entrySet()) {
            var now = hold(group.getKey(), home, group.getValue(), submissions, used, fresh);
            latest = Optional.of(earlier(latest, now.plus(ON_THE_WAY)));
        }
        return new Held(used, fresh, latest);
    }

    private static Instant earlier(Optional<Instant> one, Instant other) {
        return one.filter(other::isAfter).orElse(other);
    }

    /**
     * Gives up the keys of work that was refused, so that other work can take them at once; while
     * that fails, after a while. One that was held before, or has been held again since, may be
     * that of work which is there.
     *
     * @param answers for all of them, by place
     */
    void giveUpRefused(
            Held held,
            List<Submission> submissions,
            Map<Integer, Answer<Submitted>> answers,
            Partition home) {
        giveUp(
                held,
                submissions,
                place -> answers.get(place) instanceof Answer.Refused<Submitted>,
                home);
    }

    /** Gives up the keys of work that was not stored, and is offered again. */
    void giveUpAll(Held held, List<Submission> submissions, Partition home) {
        giveUp(held, submissions, place -> true, home);
    }

    private void giveUp(
            Held held, List<Submission> submissions, IntPredicate unused, Partition home) {
        try {
            held.fresh.forEach(
                    (place, since) -> {
                        if (unused.test(place)) {
                            giveUp(submissions.get(place), since, home);
                        }
                    });
        } catch (FlowFabricException away) {
            // The others are answered: what was stored of them is.
            log.warn("Keys of work that was not stored are given up later", away);
        }
    }

    private void giveUp(Submission submission, Instant since, Partition home) {
        var at = keyPartition(submission).filter(one -> !one.equals(home)).orElseThrow();
        giveUp(valkey, at, unique(submission), submission.id().uuid(), since);
    }

    /** The partition that a key leads to, in a namespace that is spread over partitions. */
    private Optional<Partition> keyPartition(Submission submission) {
        var spread = valkey.spread(submission.lane().namespace());
        return spread.isWide() ? submission.key().map(spread::of) : Optional.empty();
    }

    private Instant hold(
            Partition at,
            Partition home,
            List<Integer> places,
            List<Submission> submissions,
            Map<Integer, Answer<Submitted>> used,
            Map<Integer, Instant> fresh) {
        var told = ask(at, places.stream().map(submissions::get).toList());
        for (int n = 0; n < places.size(); n++) {
            int place = places.get(n);
            var holder = told.answer().at(n);
            var submission = submissions.get(place);
            if (holder.isAbsent()) {
                fresh.put(place, told.now());
            } else if (!(holder instanceof Item.Truth)) {
                var answer = used(submission, holder, at, home, told.now());
                var since = answer.isEmpty() ? heldInstead(submission, holder, at) : NOT_HELD;
                since.ifPresentOrElse(
                        it -> fresh.put(place, it),
                        () -> used.put(place, answer.orElseGet(() -> contended(submission))));
            }
        }
        return told.now();
    }

    /**
     * Holds a key that was held for work which will not come, or that work has which has ended.
     *
     * @return since when; nothing when another one was faster
     */
    private Optional<Instant> heldInstead(Submission submission, Item holder, Partition at) {
        if (holder.at(0).text().equals("held")) {
            giveUp(at, submission, holder);
        } else {
            valkey.call(
                    "give_up_ended_key",
                    at,
                    out -> out.list(2).text(unique(submission)).uuid(holder.at(1).uuid()));
        }
        var told = ask(at, List.of(submission));
        return Optional.of(told.now()).filter(since -> told.answer().at(0).isAbsent());
    }

    private Optional<Answer<Submitted>> used(
            Submission submission, Item holder, Partition at, Partition home, Instant now) {
        if (holder.at(0).text().equals("held")) {
            return held(submission, holder, home, now);
        }
        var id = holder.at(1).uuid();
        return strays.found(id, at)
                .map(entry -> strays.keyed(submission, id, entry))
                .orElseGet(() -> Optional.of(contended(submission)));
    }

    private ValkeyContext.Told ask(Partition at, List<Submission> submissions) {
        return valkey.call(
                "hold_keys",
                at,
                out ->
                        out.list(
                                submissions,
                                (o, it) -> o.list(2).text(unique(it)).uuid(it.id().uuid())));
    }

    /**
     * The answer for a submission whose key is held for other work.
     *
     * @param told whose, and since when
     * @param home where that would be stored
     * @return nothing when the other work has not come, and will not; or has ended, and the
     *     submission takes its key over
     */
    Optional<Answer<Submitted>> held(
            Submission submission, Item told, Partition home, Instant now) {
        var age = Duration.between(told.at(2).moment(), now);
        var id = told.at(1).uuid();
        return strays.found(id, home)
                .map(entry -> strays.keyed(submission, id, entry))
                .orElseGet(
                        () ->
                                age.compareTo(GIVEN_UP) < 0
                                        ? Optional.of(contended(submission))
                                        : Optional.empty());
    }

    /** Gives up a key that was held for work which has not come, so that other work can take it. */
    void giveUp(Partition at, Submission submission, Item held) {
        // If it was held again since, its work has come.
        giveUp(valkey, at, unique(submission), held.at(1).uuid(), held.at(2).moment());
    }

    /** Gives up a key, unless it was held again since. */
    static void giveUp(
            ValkeyContext valkey, Partition at, String unique, UUID holder, Instant since) {
        valkey.call("give_up_key", at, out -> out.list(3).text(unique).uuid(holder).moment(since));
    }

    private static Answer<Submitted> contended(Submission submission) {
        return Answer.refused(
                new Contended("the key " + submission.key().orElseThrow(), RETRY_AFTER));
    }

    private static String unique(Submission submission) {
        return NameListing.whole(submission.lane().namespace(), submission.key().orElseThrow());
    }
}
