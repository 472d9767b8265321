package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Idempotency keys of work that lies elsewhere than its key leads to. Before such work is stored
 * its key is held where all other work with that key would be met. What was held, and never came,
 * is given up after a while; the work itself is not taken any more by then.
 */
final class HeldKeys {
    /** So long work may take from where its key is held to where it is stored. */
    private static final Duration ON_THE_WAY = Duration.ofSeconds(30);

    /** After so long nothing that has not come will: clocks of two servers differ by less. */
    private static final Duration GIVEN_UP = ON_THE_WAY.multipliedBy(2);

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

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
     * @param latest when the rest has to be stored; nothing if there is no hurry
     */
    record Held(Map<Integer, Answer<Submitted>> used, Optional<Instant> latest) {}

    /** Holds the keys of work that is about to be stored. */
    Held hold(List<Submission> submissions, Partition home) {
        var places = new LinkedHashMap<Partition, Map<Integer, Submission>>();
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            var at = ledTo(submission);
            if (at.isPresent() && !at.get().equals(home)) {
                places.computeIfAbsent(at.get(), first -> new LinkedHashMap<>()).put(i, submission);
            }
        }
        var used = new HashMap<Integer, Answer<Submitted>>();
        Optional<Instant> latest = Optional.empty();
        for (var group : places.entrySet()) {
            for (var one : group.getValue().entrySet()) {
                var now = hold(group.getKey(), home, one.getKey(), one.getValue(), used);
                latest = Optional.of(earlier(latest, now.plus(ON_THE_WAY)));
            }
        }
        return new Held(used, latest);
    }

    private static Instant earlier(Optional<Instant> one, Instant other) {
        return one.filter(other::isAfter).orElse(other);
    }

    /** Where the key of some work leads to, in a namespace that is spread over partitions. */
    private Optional<Partition> ledTo(Submission submission) {
        var spread = valkey.spread(submission.lane().namespace());
        return spread.isWide() ? submission.key().map(spread::of) : Optional.empty();
    }

    private Instant hold(
            Partition at,
            Partition home,
            int place,
            Submission submission,
            Map<Integer, Answer<Submitted>> used) {
        Optional<UUID> instead = Optional.empty();
        while (true) {
            var told = ask(at, submission, instead);
            var holder = told.answer();
            if (holder.isAbsent()) {
                return told.now();
            }
            var id = holder.at(1).uuid();
            boolean given = holder.at(0).text().equals("held");
            var answer = given ? held(submission, holder, home) : strays.keyed(submission, id, at);
            if (answer.isPresent() || instead.isPresent()) {
                used.put(place, answer.orElseGet(() -> contended(submission)));
                return told.now();
            }
            instead = Optional.of(id);
        }
    }

    private ValkeyContext.Told ask(Partition at, Submission submission, Optional<UUID> instead) {
        return valkey.call(
                "hold_key",
                at,
                out ->
                        out.list(3)
                                .text(unique(submission))
                                .uuid(submission.id().uuid())
                                .optional(instead, (o, other) -> o.uuid(other)));
    }

    /**
     * The answer for a submission whose key is held for other work.
     *
     * @param told whose, and for how long it has been
     * @param home where that would be stored
     * @return nothing when the other work has not come, and will not
     */
    Optional<Answer<Submitted>> held(Submission submission, Item told, Partition home) {
        var age = Duration.ofMillis(told.at(2).number());
        return strays.keyed(submission, told.at(1).uuid(), home)
                .or(
                        () ->
                                age.compareTo(GIVEN_UP) < 0
                                        ? Optional.of(contended(submission))
                                        : Optional.empty());
    }

    /** Gives up a key that was held for work which has not come, so that other work can take it. */
    void giveUp(Partition at, Submission submission, UUID holder) {
        giveUp(valkey, at, unique(submission), holder);
    }

    /**
     * Gives up the key of work that is forgotten, if it was held elsewhere.
     *
     * @param home where the work was
     */
    static void giveUp(
            ValkeyContext valkey, Namespace namespace, String key, UUID id, Partition home) {
        var spread = valkey.spread(namespace);
        if (spread.isWide() && !spread.of(key).equals(home)) {
            giveUp(valkey, spread.of(key), NameListing.whole(namespace, key), id);
        }
    }

    private static void giveUp(ValkeyContext valkey, Partition at, String unique, UUID holder) {
        valkey.call("give_up_key", at, out -> out.list(2).text(unique).uuid(holder));
    }

    private static Answer<Submitted> contended(Submission submission) {
        return Answer.refused(
                new Contended("the key " + submission.key().orElseThrow(), RETRY_AFTER));
    }

    private static String unique(Submission submission) {
        return NameListing.whole(submission.lane().namespace(), submission.key().orElseThrow());
    }
}
