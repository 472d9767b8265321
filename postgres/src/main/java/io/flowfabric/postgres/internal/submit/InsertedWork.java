package io.flowfabric.postgres.internal.submit;

import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.admission.Queues;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.submit.SubmitStatement.Accepted;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a transaction has accepted that opened its queues itself where they were not known.
 *
 * @param used the lanes whose queues can be relied upon after the commit
 */
public record InsertedWork(Accepted accepted, Queues queues, Set<Integer> used) {
    /** The statement that inserts the work. */
    @FunctionalInterface
    public interface Insert {
        /** Inserts those items that are new. */
        Accepted into(Jdbc tx, @Nullable Long now, List<PreparedSubmission> items, Queues queues);
    }

    /**
     * Inserts work. The first submission to a lane registers it in the commit of its work; a
     * refused one leaves no lane behind.
     */
    public static InsertedWork insert(
            PostgresContext postgres, Jdbc tx, List<PreparedSubmission> items, Insert insert) {
        var wanted = items.stream().map(PreparedSubmission::lane).distinct().sorted().toList();
        var added =
                Set.copyOf(
                        PostgresLanes.add(tx, postgres.now(), PreparedSubmission.creators(items)));
        var queues = PreparedSubmission.queues(postgres, items, PostgresLanes.numbers(tx, wanted));
        queues.hold(tx);
        var freed = FreedKeys.of(tx, items);
        var accepted = insert.into(tx, postgres.now(), items, queues);
        var used =
                items.stream()
                        .filter(accepted::holds)
                        .map(item -> queues.number(item.lane()))
                        .collect(Collectors.toSet());
        if (!used.containsAll(added)) {
            tx.query("remove_unused_lanes")
                    .ints("ids", added, lane -> lane)
                    .ints("used", used, lane -> lane)
                    .update();
        }
        queues.open(tx, used);
        SubmitStatement.giveKeysBack(tx, items, accepted);
        freed.giveBackUnused(tx, items, accepted);
        return new InsertedWork(accepted, queues, used);
    }

    /** Remembers the queues that were opened, once the work is committed. */
    public void remember() {
        queues.remember(used);
    }
}
