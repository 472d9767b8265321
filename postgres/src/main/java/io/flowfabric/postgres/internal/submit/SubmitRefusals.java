package io.flowfabric.postgres.internal.submit;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.decision.Acceptance.Known;
import io.flowfabric.core.decision.SubmittedContent;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.query.PostgresQueries;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** The second read: why a submission was not accepted. */
public final class SubmitRefusals {
    private SubmitRefusals() {}

    /**
     * What there is already, found by the ids and by the keys of a batch.
     *
     * @param contents of those executions that were submitted with other content than an item asks
     */
    private record Found(
            Map<UUID, Known> byId,
            Map<PreparedSubmission.Key, Known> byKey,
            Map<UUID, SubmittedContent> contents) {
        Optional<Known> sameId(PreparedSubmission item) {
            return Optional.ofNullable(byId.get(item.id())).map(this::withContent);
        }

        Optional<Known> sameKey(PreparedSubmission item) {
            return item.keyed()
                    ? Optional.ofNullable(byKey.get(item.key())).map(this::withContent)
                    : Optional.empty();
        }

        private Known withContent(Known known) {
            var content = Optional.ofNullable(contents.get(known.id().uuid()));
            return new Known(known.id(), known.digest(), content, known.ended());
        }

        /** Whether nothing has the key of an item, or only what lets it have the key. */
        boolean hasFreeKey(PreparedSubmission item) {
            return sameKey(item).filter(known -> !known.yieldsKeyTo(item.submission())).isEmpty();
        }

        /** The executions that have the id or the key of an item, and other content. */
        List<UUID> contradicted(List<PreparedSubmission> items) {
            return items.stream()
                    .flatMap(
                            item ->
                                    Stream.concat(sameId(item).stream(), sameKey(item).stream())
                                            .filter(known -> !known.digest().equals(item.digest())))
                    .map(known -> known.id().uuid())
                    .distinct()
                    .toList();
        }
    }

    /** Answers the items, except those whose id and key have become free again meanwhile. */
    public static void explain(
            PostgresContext postgres,
            Jdbc db,
            List<PreparedSubmission> refused,
            Map<Integer, Answer<Submitted>> answers) {
        if (refused.isEmpty()) {
            return;
        }
        var found = found(db, refused);
        readContents(postgres, db, found.contradicted(refused), found.contents);
        for (PreparedSubmission item : refused) {
            try {
                explain(db, item, found)
                        .ifPresent(same -> answers.put(item.index(), Answer.done(same)));
            } catch (Conflict | Denied | NotFound refusal) {
                answers.put(item.index(), Answer.refused(refusal));
            }
        }
    }

    /** What cannot be read, or is gone by now, is left out. */
    private static void readContents(
            PostgresContext postgres, Jdbc db, List<UUID> ids, Map<UUID, SubmittedContent> into) {
        if (!ids.isEmpty()) {
            PostgresQueries.views(postgres, db, ids)
                    .forEach(
                            (id, answer) -> {
                                if (answer instanceof Answer.Done<ExecutionView>(var view)) {
                                    into.put(id, SubmittedContent.of(view));
                                }
                            });
        }
    }

    private static Optional<Submitted> explain(Jdbc db, PreparedSubmission item, Found found) {
        var same =
                Acceptance.repeated(
                        item.submission(), item.digest(), found.sameId(item), found.sameKey(item));
        if (same.isEmpty()) {
            PostgresLanes.find(db, item.lane())
                    .ifPresent(lane -> Acceptance.mustTake(item.lane(), lane.settings().state()));
            item.undefined()
                    .ifPresent(
                            undefined -> {
                                throw undefined;
                            });
        }
        return same;
    }

    /** Those of the items whose id and key are both free. */
    public static List<PreparedSubmission> free(Jdbc db, List<PreparedSubmission> items) {
        var found = found(db, items);
        return items.stream()
                .filter(item -> found.sameId(item).isEmpty() && found.hasFreeKey(item))
                .toList();
    }

    private static Found found(Jdbc db, List<PreparedSubmission> items) {
        var found = new Found(new HashMap<>(), new HashMap<>(), new HashMap<>());
        var keyed = items.stream().filter(PreparedSubmission::keyed).toList();
        db.query("known")
                .uuids("ids", items, PreparedSubmission::id)
                .texts("namespaces", keyed, item -> item.key().namespace())
                .texts("keys", keyed, item -> item.key().key())
                .each(
                        row -> {
                            var digest = RowCodec.digest(row, "digest");
                            var known =
                                    new Known(
                                            RowCodec.id(row),
                                            digest,
                                            Optional.empty(),
                                            row.bool("ended"));
                            var key = row.textOrNull("key");
                            if (key == null) {
                                found.byId.put(known.id().uuid(), known);
                            } else {
                                found.byKey.put(
                                        new PreparedSubmission.Key(row.text("namespace"), key),
                                        known);
                            }
                        });
        return found;
    }
}
