package io.flowfabric.postgres.internal.submit;

import io.flowfabric.core.Answer;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.Queues;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.ConstraintViolation;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The statement by which work comes in, in a commit of ours or in a transaction of the caller. */
public final class SubmitStatement {
    private SubmitStatement() {}

    /**
     * What the statement has accepted, and in which lanes there is work now, from which number on.
     *
     * @param keyedInVain whose key was taken, and whose id then turned out to be taken
     * @param roundless what has to come again with a round, because it takes turns with others
     */
    public record Accepted(
            Set<UUID> ids, Set<UUID> keyedInVain, Set<UUID> roundless, Map<Integer, Long> ready) {
        static final Accepted NOTHING = new Accepted(Set.of(), Set.of(), Set.of(), Map.of());

        boolean holds(PreparedSubmission item) {
            return ids.contains(item.id());
        }

        public void answer(
                List<PreparedSubmission> items, Map<Integer, Answer<Submitted>> answers) {
            for (PreparedSubmission item : items) {
                if (holds(item)) {
                    var id = item.submission().id();
                    answers.put(item.index(), Answer.done(new Submitted(id, true)));
                }
            }
        }

        /** Both of them, as if they were one. */
        public Accepted and(Accepted other) {
            var all = new HashMap<>(ready);
            other.ready.forEach((lane, first) -> all.merge(lane, first, Math::min));
            return new Accepted(
                    union(ids, other.ids),
                    union(keyedInVain, other.keyedInVain),
                    other.roundless,
                    all);
        }

        private static Set<UUID> union(Set<UUID> some, Set<UUID> others) {
            var all = new HashSet<>(some);
            all.addAll(others);
            return all;
        }

        public List<PreparedSubmission> others(List<PreparedSubmission> items) {
            return items.stream().filter(item -> !holds(item)).toList();
        }
    }

    /**
     * Inserts what is new.
     *
     * @param now as of {@link PostgresContext#now()}
     * @param queues of all the items
     */
    public static Accepted insert(
            Jdbc db, @Nullable Long now, List<PreparedSubmission> items, Queues queues) {
        return insert(db, now, items, queues, Optional.empty(), NO_FLOWS);
    }

    /**
     * The flows that work is submitted with.
     *
     * @param flows which one each is a member of, by their ids
     * @param waits what members are told that wait for others, by their ids
     */
    public record OfFlows(Map<UUID, UUID> flows, Map<UUID, String> waits) {}

    private static final OfFlows NO_FLOWS = new OfFlows(Map.of(), Map.of());

    /** Inserts members of flows, those that are new. */
    public static Accepted insertMembers(
            Jdbc tx,
            @Nullable Long now,
            List<PreparedSubmission> items,
            Queues queues,
            OfFlows of) {
        return insert(tx, now, items, queues, Optional.empty(), of);
    }

    /**
     * Inserts plain items of one lane, all of which are new: nothing, where one is not, the lane is
     * closed or shared, or its gates have been retired.
     */
    public static Optional<Accepted> insertPlain(
            Jdbc db, @Nullable Long now, List<PreparedSubmission> items, Queues queues) {
        int lane = queues.number(items.getFirst().lane());
        try {
            return db.query("submit_plain")
                    .set("now", now)
                    .set("lane", lane)
                    .set("generation", queues.generation(lane))
                    .uuids("ids", items, PreparedSubmission::id)
                    .ints("parts", items, item -> item.submission().id().partition().number())
                    .ints("gates", items, PreparedSubmission::gate)
                    .ints("policy", items, PreparedSubmission::policy)
                    .ints("priorities", items, item -> item.submission().policy().priority())
                    .texts("creators", items, item -> item.submission().creator())
                    .texts("types", items, item -> RowCodec.type(item.submission().input()))
                    .bytes("inputs", items, item -> item.submission().input().bytes())
                    .bytes("digests", items, item -> RowCodec.bytes(item.digest()))
                    .one(
                            row ->
                                    row.intValue("accepted") == 0
                                            ? Optional.empty()
                                            : Optional.of(
                                                    all(items, lane, row.longValue("first"))));
        } catch (ConstraintViolation taken) {
            if (!taken.unique()) {
                throw taken;
            }
            return Optional.empty();
        }
    }

    private static Accepted all(List<PreparedSubmission> items, int lane, long first) {
        var ids = items.stream().map(PreparedSubmission::id).collect(Collectors.toSet());
        return new Accepted(ids, Set.of(), Set.of(), Map.of(lane, first));
    }

    /**
     * Inserts what is new in a transaction that may stay open. Drawing a round locks the share key
     * until the commit, so work does not draw its round here: it comes with the one that {@link
     * #draw} gave it.
     */
    public static Accepted insertDrawn(
            Jdbc tx,
            @Nullable Long now,
            List<PreparedSubmission> items,
            Queues queues,
            Map<UUID, Long> rounds) {
        return insert(tx, now, items, queues, Optional.of(rounds), NO_FLOWS);
    }

    /** Draws rounds, for work in lanes where keys share, in a commit of its own. */
    public static Map<UUID, Long> draw(Jdbc db, List<PreparedSubmission> items, Queues queues) {
        var rounds = new HashMap<UUID, Long>();
        db.query("draw_rounds")
                .uuids("ids", items, PreparedSubmission::id)
                .ints("lanes", items, item -> queues.number(item.lane()))
                .ints("priorities", items, item -> item.submission().policy().priority())
                .texts("keys", items, item -> item.submission().policy().share().orElse(""))
                .each(row -> rounds.put(row.uuid("id"), row.longValue("round")));
        return rounds;
    }

    private static Accepted insert(
            Jdbc db,
            @Nullable Long now,
            List<PreparedSubmission> items,
            Queues queues,
            Optional<Map<UUID, Long>> rounds,
            OfFlows of) {
        var roundless = new HashSet<UUID>();
        var ready = new HashMap<Integer, Long>();
        var ids = new HashSet<UUID>();
        var keyedInVain = new HashSet<UUID>();
        db.query("submit")
                .set("now", now)
                .uuids("ids", items, PreparedSubmission::id)
                .ints("parts", items, item -> item.submission().id().partition().number())
                .ints("lanes", items, item -> queues.number(item.lane()))
                .ints("gates", items, PreparedSubmission::gate)
                .ints("policy", items, PreparedSubmission::policy)
                .ints("priorities", items, item -> item.submission().policy().priority())
                .longs("start_ats", items, item -> RowCodec.at(start(item)))
                .longs("start_afters", items, item -> RowCodec.after(start(item)))
                .longs(
                        "deadline_ats",
                        items,
                        item -> RowCodec.at(item.submission().policy().deadline()))
                .longs(
                        "deadline_afters",
                        items,
                        item -> RowCodec.after(item.submission().policy().deadline()))
                .texts("creators", items, item -> item.submission().creator())
                .texts("keys", items, item -> item.submission().key().orElse(null))
                .texts("tags", items, SubmitStatement::tags)
                .texts("start_dues", items, item -> start(item.submission().policy().start()))
                .texts(
                        "deadline_dues",
                        items,
                        item ->
                                item.submission()
                                        .policy()
                                        .deadline()
                                        .map(PolicyCodec::write)
                                        .orElse(null))
                .texts("types", items, item -> RowCodec.type(item.submission().input()))
                .bytes("inputs", items, item -> item.submission().input().bytes())
                .set("inline", RowCodec.INLINE)
                .bytes("digests", items, item -> RowCodec.bytes(item.digest()))
                .texts("shares", items, item -> item.submission().policy().share().orElse(null))
                .longs("rounds", items, item -> rounds.map(r -> r.get(item.id())).orElse(null))
                .texts("reserves", items, item -> RowCodec.reserves(item.reserve()))
                .longs("generations", items, item -> queues.generation(queues.number(item.lane())))
                .set("draws", rounds.isEmpty())
                .uuids("flows", items, item -> of.flows.get(item.id()))
                .texts("waits", items, item -> of.waits.get(item.id()))
                .each(
                        row -> {
                            var found =
                                    switch (row.text("word")) {
                                        case "accepted" -> ids;
                                        case "needs_round" -> roundless;
                                        default -> keyedInVain;
                                    };
                            found.add(row.uuid("id"));
                            if (row.bool("ready")) {
                                ready.merge(row.intValue("lane"), row.longValue("seq"), Math::min);
                            }
                        });
        return new Accepted(ids, keyedInVain, roundless, ready);
    }

    /** A key that was taken for a submission whose id then turned out to be taken is free again. */
    public static void giveKeysBack(Jdbc tx, List<PreparedSubmission> items, Accepted accepted) {
        var refused =
                items.stream().filter(item -> accepted.keyedInVain.contains(item.id())).toList();
        if (!refused.isEmpty()) {
            tx.query("forget_keys")
                    .texts("namespaces", refused, item -> item.key().namespace())
                    .texts("keys", refused, item -> item.key().key())
                    .uuids("ids", refused, PreparedSubmission::id)
                    .update();
        }
    }

    private static @Nullable String start(Due due) {
        return due.equals(Due.NOW) ? null : PolicyCodec.write(due);
    }

    private static Optional<Due> start(PreparedSubmission item) {
        return Optional.of(item.submission().policy().start());
    }

    private static String tags(PreparedSubmission item) {
        return item.submission().tags().values().entrySet().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.joining(RowCodec.SEPARATOR));
    }
}
