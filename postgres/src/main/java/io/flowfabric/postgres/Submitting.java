package io.flowfabric.postgres;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.contract.Answer;
import io.flowfabric.core.contract.Submission;
import io.flowfabric.core.contract.Submissions;
import io.flowfabric.core.contract.Submitted;
import io.flowfabric.core.policy.Due;
import io.flowfabric.postgres.Catalog.LaneGate;
import io.flowfabric.postgres.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How work comes in: one statement for as many submissions as fit, in one commit. */
final class Submitting implements Submissions {
    /** Larger batches are sent in pieces: one commit should not hold everybody up. */
    private static final int CHUNK = 1000;

    /** How often an item may race with somebody who is gone again when it is looked for. */
    private static final int TRIES = 5;

    private final Postgres postgres;

    Submitting(Postgres postgres) {
        this.postgres = postgres;
    }

    /** A submission with its place in the batch, its digest and the numbers that it refers to. */
    private record Item(int index, Submission submission, Digest digest, int gate, int terms) {
        UUID id() {
            return submission.id().uuid();
        }

        Lane lane() {
            return submission.lane();
        }

        boolean keyed() {
            return submission.key().isPresent();
        }

        Key key() {
            return new Key(lane().namespace().name(), submission.key().orElseThrow());
        }
    }

    private record Key(String namespace, String key) {}

    /** An execution that is there already, found by its id or by its key. */
    private record Known(ExecutionId id, Digest digest, @Nullable Key key) {}

    /**
     * What a statement has accepted, and in which lanes there is work now, from which number on.
     */
    private record Accepted(
            Set<UUID> ids,
            Set<UUID> keyedInVain,
            Map<Lane, Integer> lanes,
            Map<Integer, Long> ready) {}

    @Override
    public List<Answer<Submitted>> submit(List<Submission> submissions) {
        Limit.BATCH.checkCount("submissions", submissions.size());
        var answers = new HashMap<Integer, Answer<Submitted>>();
        var remaining = items(submissions);
        for (int tries = 0; !remaining.isEmpty(); tries++) {
            // Items that share an id or a key see each other in order: the later ones wait for a
            // later round.
            var round = firstOfEach(remaining);
            for (int from = 0; from < round.size(); from += CHUNK) {
                chunk(
                        round.subList(from, Math.min(from + CHUNK, round.size())),
                        tries >= TRIES,
                        answers);
            }
            remaining =
                    remaining.stream().filter(item -> !answers.containsKey(item.index)).toList();
        }
        return IntStream.range(0, submissions.size())
                .mapToObj(index -> Objects.requireNonNull(answers.get(index)))
                .toList();
    }

    private List<Item> items(List<Submission> submissions) {
        var items = new ArrayList<Item>(submissions.size());
        for (Submission submission : submissions) {
            var gate = new Catalog.Gate(submission.kind(), submission.policy().needs());
            items.add(
                    new Item(
                            items.size(),
                            submission,
                            submission.digest(),
                            postgres.catalog().gate(postgres.db(), gate),
                            postgres.catalog().terms(postgres.db(), submission.policy())));
        }
        return items;
    }

    private static List<Item> firstOfEach(List<Item> items) {
        var ids = new HashSet<UUID>();
        var keys = new HashSet<Key>();
        var first = new ArrayList<Item>();
        for (Item item : items) {
            boolean newId = ids.add(item.id());
            boolean newKey = !item.keyed() || keys.add(item.key());
            if (newId && newKey) {
                first.add(item);
            }
        }
        return first;
    }

    /**
     * Answers those items that could be decided about; the others raced with somebody, and are
     * tried again.
     */
    private void chunk(List<Item> items, boolean lastTry, Map<Integer, Answer<Submitted>> answers) {
        var accepted = insert(items);
        remember(items, accepted);
        postgres.submitted(accepted.ready);
        var refused = items.stream().filter(item -> !accepted.ids.contains(item.id())).toList();
        for (Item item : items) {
            if (accepted.ids.contains(item.id())) {
                answers.put(item.index, Answer.done(new Submitted(item.submission.id(), true)));
            }
        }
        if (!refused.isEmpty()) {
            explain(refused, lastTry, answers);
        }
    }

    private Accepted insert(List<Item> items) {
        var known = items.stream().allMatch(item -> !item.keyed() && isKnown(item));
        if (!known) {
            return postgres.db().transaction(tx -> insertWhatIsNew(tx, items));
        }
        var lanes = new HashMap<Lane, Integer>();
        items.forEach(item -> lanes.computeIfAbsent(item.lane(), postgres::lane));
        return insert(postgres.db(), items, lanes);
    }

    private boolean isKnown(Item item) {
        var lane = postgres.catalog().lane(item.lane());
        return lane != null && postgres.catalog().knows(new LaneGate(lane, item.gate));
    }

    /**
     * The first submission to a lane registers it in the same commit; a refused one leaves no lane
     * behind.
     */
    private Accepted insertWhatIsNew(Jdbc tx, List<Item> items) {
        var wanted = items.stream().map(Item::lane).distinct().sorted().toList();
        var added =
                Set.copyOf(
                        tx.query("add_lanes")
                                .set("now", postgres.now())
                                .texts("namespaces", wanted, lane -> lane.namespace().name())
                                .texts("names", wanted, Lane::name)
                                .list(row -> row.intValue("id")));
        var lanes = LaneKeeping.numbers(tx, wanted);
        var accepted = insert(tx, items, lanes);
        var used =
                items.stream()
                        .filter(item -> accepted.ids.contains(item.id()))
                        .map(item -> number(lanes, item.lane()))
                        .collect(Collectors.toSet());
        if (!used.containsAll(added)) {
            tx.query("remove_unused_lanes")
                    .ints("ids", added, lane -> lane)
                    .ints("used", used, lane -> lane)
                    .update();
        }
        var pairs =
                items.stream()
                        .map(item -> new LaneGate(number(lanes, item.lane()), item.gate))
                        .filter(pair -> used.contains(pair.lane()))
                        .distinct()
                        .toList();
        tx.query("add_lane_gates")
                .ints("lanes", pairs, LaneGate::lane)
                .ints("gates", pairs, LaneGate::gate)
                .update();
        giveKeysBack(
                tx,
                items.stream().filter(item -> accepted.keyedInVain.contains(item.id())).toList());
        return accepted;
    }

    /** A key that was taken for a submission whose id then turned out to be taken is free again. */
    private static void giveKeysBack(Jdbc tx, List<Item> refused) {
        if (!refused.isEmpty()) {
            tx.query("forget_keys")
                    .texts("namespaces", refused, item -> item.key().namespace)
                    .texts("keys", refused, item -> item.key().key)
                    .uuids("ids", refused, Item::id)
                    .update();
        }
    }

    private static int number(Map<Lane, Integer> lanes, Lane lane) {
        return Objects.requireNonNull(lanes.get(lane));
    }

    private Accepted insert(Jdbc db, List<Item> items, Map<Lane, Integer> lanes) {
        var ready = new HashMap<Integer, Long>();
        var ids = new HashSet<UUID>();
        var keyedInVain = new HashSet<UUID>();
        db.query("submit")
                .set("now", postgres.now())
                .uuids("ids", items, Item::id)
                .ints("parts", items, item -> item.submission.id().partition().number())
                .ints("lanes", items, item -> number(lanes, item.lane()))
                .ints("gates", items, Item::gate)
                .ints("terms", items, Item::terms)
                .ints("priorities", items, item -> item.submission.policy().priority())
                .longs("start_ats", items, item -> at(item.submission.policy().start()))
                .longs("start_afters", items, item -> after(item.submission.policy().start()))
                .longs("deadline_ats", items, item -> at(deadline(item)))
                .longs("deadline_afters", items, item -> after(deadline(item)))
                .texts("creators", items, item -> item.submission.creator())
                .texts("keys", items, item -> item.submission.key().orElse(null))
                .texts("tags", items, Submitting::tags)
                .texts(
                        "start_dues",
                        items,
                        item -> TermsText.write(item.submission.policy().start()))
                .texts("deadline_dues", items, item -> TermsText.write(deadline(item)))
                .texts("types", items, item -> item.submission.input().contentType())
                .bytes("inputs", items, item -> item.submission.input().bytes())
                .bytes("digests", items, item -> Stored.bytes(item.digest))
                .each(
                        row -> {
                            (row.bool("accepted") ? ids : keyedInVain).add(row.uuid("id"));
                            if (row.bool("ready")) {
                                ready.merge(row.intValue("lane"), row.longValue("seq"), Math::min);
                            }
                        });
        return new Accepted(ids, keyedInVain, lanes, ready);
    }

    /** What was accepted is committed now, and so are its lane and the gates of its lane. */
    private void remember(List<Item> items, Accepted accepted) {
        var pairs = new HashSet<LaneGate>();
        for (Item item : items) {
            if (accepted.ids.contains(item.id())) {
                int lane = number(accepted.lanes, item.lane());
                postgres.catalog().remember(item.lane(), lane);
                pairs.add(new LaneGate(lane, item.gate));
            }
        }
        postgres.catalog().remember(pairs);
    }

    private void explain(
            List<Item> refused, boolean lastTry, Map<Integer, Answer<Submitted>> answers) {
        var keyed = refused.stream().filter(Item::keyed).toList();
        var known =
                postgres.db()
                        .query("known")
                        .uuids("ids", refused, Item::id)
                        .texts("namespaces", keyed, item -> item.key().namespace)
                        .texts("keys", keyed, item -> item.key().key)
                        .list(
                                row -> {
                                    var key = row.textOrNull("key");
                                    return new Known(
                                            Stored.id(row),
                                            Stored.digest(row, "digest"),
                                            key == null
                                                    ? null
                                                    : new Key(row.text("namespace"), key));
                                });
        for (Item item : refused) {
            var answer = explain(item, known, lastTry);
            if (answer != null) {
                answers.put(item.index, answer);
            }
        }
    }

    private @Nullable Answer<Submitted> explain(Item item, List<Known> known, boolean lastTry) {
        for (Known there : known) {
            if (there.key == null && there.id.uuid().equals(item.id())) {
                return same(item, there) && there.id.equals(item.submission.id())
                        ? Answer.done(new Submitted(there.id, false))
                        : taken(
                                Conflict.Code.ID_TAKEN,
                                there,
                                "This id was submitted with other content.");
            }
        }
        for (Known there : known) {
            if (item.keyed() && item.key().equals(there.key)) {
                return same(item, there)
                        ? Answer.done(new Submitted(there.id, false))
                        : taken(
                                Conflict.Code.KEY_TAKEN,
                                there,
                                "The key %s was submitted with other content."
                                        .formatted(item.key().key));
            }
        }
        var lane = LaneKeeping.find(postgres.db(), item.lane());
        if (lane.isPresent() && !lane.get().settings().state().takes()) {
            var state = lane.get().settings().state().wire();
            return Answer.refused(
                    new Denied(
                            Denied.Code.LANE_CLOSED,
                            "The lane %s is %s and takes no new work."
                                    .formatted(item.lane(), state)));
        }
        // Whoever was in the way is gone again.
        return lastTry
                ? Answer.refused(
                        new Contended(item.submission.id().toString(), Duration.ofMillis(100)))
                : null;
    }

    private static Answer<Submitted> taken(Conflict.Code code, Known there, String explanation) {
        return Answer.refused(new Conflict(code, there.id.toString(), explanation));
    }

    private static boolean same(Item item, Known known) {
        return item.digest.equals(known.digest);
    }

    private static @Nullable Due deadline(Item item) {
        return item.submission.policy().deadline().orElse(null);
    }

    private static @Nullable Long at(@Nullable Due due) {
        return due instanceof Due.At at ? (Long) at.time().toEpochMilli() : null;
    }

    private static @Nullable Long after(@Nullable Due due) {
        return due instanceof Due.After after ? (Long) after.delay().toMillis() : null;
    }

    private static String tags(Item item) {
        return item.submission.tags().values().entrySet().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.joining(TermsText.SEPARATOR));
    }
}
