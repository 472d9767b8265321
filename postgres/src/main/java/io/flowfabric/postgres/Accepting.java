package io.flowfabric.postgres;

import io.flowfabric.core.Lane;
import io.flowfabric.core.contract.Answer;
import io.flowfabric.core.contract.Submitted;
import io.flowfabric.core.policy.Due;
import io.flowfabric.postgres.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The statement by which work comes in, in a commit of ours or in a transaction of the caller. */
final class Accepting {
    private Accepting() {}

    /**
     * What the statement has accepted, and in which lanes there is work now, from which number on.
     *
     * @param keyedInVain whose key was taken, and whose id then turned out to be taken
     */
    record Accepted(
            Set<UUID> ids,
            Set<UUID> keyedInVain,
            Map<Lane, Integer> lanes,
            Map<Integer, Long> ready) {
        boolean holds(Incoming item) {
            return ids.contains(item.id());
        }

        void answer(List<Incoming> items, Map<Integer, Answer<Submitted>> answers) {
            for (Incoming item : items) {
                if (holds(item)) {
                    var id = item.submission().id();
                    answers.put(item.index(), Answer.done(new Submitted(id, true)));
                }
            }
        }

        List<Incoming> others(List<Incoming> items) {
            return items.stream().filter(item -> !holds(item)).toList();
        }
    }

    /**
     * Inserts what is new.
     *
     * @param now as of {@link Postgres#now()}
     * @param lanes the numbers of all lanes of the items
     */
    static Accepted insert(
            Jdbc db, @Nullable Long now, List<Incoming> items, Map<Lane, Integer> lanes) {
        var ready = new HashMap<Integer, Long>();
        var ids = new HashSet<UUID>();
        var keyedInVain = new HashSet<UUID>();
        db.query("submit")
                .set("now", now)
                .uuids("ids", items, Incoming::id)
                .ints("parts", items, item -> item.submission().id().partition().number())
                .ints("lanes", items, item -> number(lanes, item.lane()))
                .ints("gates", items, Incoming::gate)
                .ints("terms", items, Incoming::terms)
                .ints("priorities", items, item -> item.submission().policy().priority())
                .longs("start_ats", items, item -> at(item.submission().policy().start()))
                .longs("start_afters", items, item -> after(item.submission().policy().start()))
                .longs("deadline_ats", items, item -> at(deadline(item)))
                .longs("deadline_afters", items, item -> after(deadline(item)))
                .texts("creators", items, item -> item.submission().creator())
                .texts("keys", items, item -> item.submission().key().orElse(null))
                .texts("tags", items, Accepting::tags)
                .texts(
                        "start_dues",
                        items,
                        item -> TermsText.write(item.submission().policy().start()))
                .texts("deadline_dues", items, item -> TermsText.write(deadline(item)))
                .texts("types", items, item -> item.submission().input().contentType())
                .bytes("inputs", items, item -> item.submission().input().bytes())
                .bytes("digests", items, item -> Stored.bytes(item.digest()))
                .each(
                        row -> {
                            (row.bool("accepted") ? ids : keyedInVain).add(row.uuid("id"));
                            if (row.bool("ready")) {
                                ready.merge(row.intValue("lane"), row.longValue("seq"), Math::min);
                            }
                        });
        return new Accepted(ids, keyedInVain, lanes, ready);
    }

    /** A key that was taken for a submission whose id then turned out to be taken is free again. */
    static void giveKeysBack(Jdbc tx, List<Incoming> items, Accepted accepted) {
        var refused =
                items.stream().filter(item -> accepted.keyedInVain.contains(item.id())).toList();
        if (!refused.isEmpty()) {
            tx.query("forget_keys")
                    .texts("namespaces", refused, item -> item.key().namespace())
                    .texts("keys", refused, item -> item.key().key())
                    .uuids("ids", refused, Incoming::id)
                    .update();
        }
    }

    static int number(Map<Lane, Integer> lanes, Lane lane) {
        return Objects.requireNonNull(lanes.get(lane));
    }

    private static @Nullable Due deadline(Incoming item) {
        return item.submission().policy().deadline().orElse(null);
    }

    private static @Nullable Long at(@Nullable Due due) {
        return due instanceof Due.At at ? (Long) at.time().toEpochMilli() : null;
    }

    private static @Nullable Long after(@Nullable Due due) {
        return due instanceof Due.After after ? (Long) after.delay().toMillis() : null;
    }

    private static String tags(Incoming item) {
        return item.submission().tags().values().entrySet().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.joining(TermsText.SEPARATOR));
    }
}
