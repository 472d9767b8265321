package io.flowfabric.postgres;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/** The second read: why a submission was not accepted. */
final class SubmitRefusals {
    private SubmitRefusals() {}

    /** An execution that is there already, found by its id or by its key. */
    private record Known(ExecutionId id, Digest digest, PreparedSubmission.@Nullable Key key) {
        boolean hasIdOf(PreparedSubmission item) {
            return key == null && id.uuid().equals(item.id());
        }

        boolean hasKeyOf(PreparedSubmission item) {
            return item.keyed() && item.key().equals(key);
        }

        boolean sameAs(PreparedSubmission item) {
            return digest.equals(item.digest());
        }
    }

    /** Answers the items; all but those for which whoever was in the way is gone again. */
    static void explain(
            Jdbc db, List<PreparedSubmission> refused, Map<Integer, Answer<Submitted>> answers) {
        if (refused.isEmpty()) {
            return;
        }
        var known = known(db, refused);
        for (PreparedSubmission item : refused) {
            var answer = explain(db, item, known);
            if (answer != null) {
                answers.put(item.index(), answer);
            }
        }
    }

    /** Those of the items whose id and key are both free. */
    static List<PreparedSubmission> free(Jdbc db, List<PreparedSubmission> items) {
        var known = known(db, items);
        return items.stream()
                .filter(
                        item ->
                                known.stream()
                                        .noneMatch(
                                                there ->
                                                        there.hasIdOf(item)
                                                                || there.hasKeyOf(item)))
                .toList();
    }

    private static List<Known> known(Jdbc db, List<PreparedSubmission> items) {
        var keyed = items.stream().filter(PreparedSubmission::keyed).toList();
        return db.query("known")
                .uuids("ids", items, PreparedSubmission::id)
                .texts("namespaces", keyed, item -> item.key().namespace())
                .texts("keys", keyed, item -> item.key().key())
                .list(
                        row -> {
                            var key = row.textOrNull("key");
                            return new Known(
                                    RowCodec.id(row),
                                    RowCodec.digest(row, "digest"),
                                    key == null
                                            ? null
                                            : new PreparedSubmission.Key(
                                                    row.text("namespace"), key));
                        });
    }

    private static @Nullable Answer<Submitted> explain(
            Jdbc db, PreparedSubmission item, List<Known> known) {
        for (Known there : known) {
            if (there.hasIdOf(item)) {
                return there.sameAs(item) && there.id.equals(item.submission().id())
                        ? Answer.done(new Submitted(there.id, false))
                        : taken(
                                Conflict.Code.ID_TAKEN,
                                there,
                                "This id was submitted with other content.");
            }
        }
        for (Known there : known) {
            if (there.hasKeyOf(item)) {
                return there.sameAs(item)
                        ? Answer.done(new Submitted(there.id, false))
                        : taken(
                                Conflict.Code.KEY_TAKEN,
                                there,
                                "The key %s was submitted with other content."
                                        .formatted(item.key().key()));
            }
        }
        var lane = PostgresLanes.find(db, item.lane());
        if (lane.isPresent() && !lane.get().settings().state().takes()) {
            var state = lane.get().settings().state().wire();
            return Answer.refused(
                    new Denied(
                            Denied.Code.LANE_CLOSED,
                            "The lane %s is %s and takes no new work."
                                    .formatted(item.lane(), state)));
        }
        if (item.undefined().isPresent()) {
            return Answer.refused(item.undefined().get());
        }
        return null;
    }

    private static Answer<Submitted> taken(Conflict.Code code, Known there, String explanation) {
        return Answer.refused(new Conflict(code, there.id.toString(), explanation));
    }
}
