package io.flowfabric.faults;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.engine.Bulk;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;

/** A program that replays whatever has failed, and says how far it is. */
final class BulkProgram {
    private BulkProgram() {}

    /** Takes URL, user and schema. */
    public static void main(String... words) throws InterruptedException {
        var options = DatabaseOptions.of(words[0], words[1], Child.password());
        try (var store = PostgresStore.open(options, new SchemaName(words[2]))) {
            new Bulk(
                            store,
                            OperatorCommand.Replay::new,
                            new Attribution("program", "the bug is mended"))
                    .run(BulkReplayTest.FAILED, far -> System.out.println(far.done()));
        }
    }
}
