package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.decision.StepRecording;
import io.flowfabric.core.decision.StepRecording.Recorded;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Step;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.ArrayList;
import java.util.List;

/** How recorded steps are stored, as {@code checkpoint.lua} does it. */
public final class StepRecord {
    private StepRecord() {}

    /** What is written of a checkpoint, behind its fence. */
    public static void write(Packer out, Checkpoint checkpoint) {
        out.text(checkpoint.name())
                .digest(checkpoint.digest())
                .bytes(SubmissionRecord.write(checkpoint.content()))
                .number(checkpoint.bytes())
                .number(Limit.STEPS.max())
                .number(Limit.ALL_STEPS_BYTES.max());
    }

    /** What a repeat is compared with. */
    public static Recorded recorded(Item stored) {
        return Item.decoded(
                () -> {
                    var told = Item.read(stored.bytes());
                    return new Recorded(
                            told.at(1).digest(), told.at(2).small(), told.at(3).moment());
                });
    }

    /** The refusal of a step for which an execution has too many, or too large ones. */
    public static Invalid tooMuch(Checkpoint checkpoint, Item steps, Item bytes) {
        try {
            StepRecording.mustFit(checkpoint, steps.small(), bytes.number());
        } catch (Invalid refusal) {
            return refusal;
        }
        throw Item.unreadable("an execution has room for a step that was refused");
    }

    /**
     * Steps.
     *
     * @param stored of each what is told of it, and its content, one behind the other
     * @throws Item.Unreadable when one is damaged, or of a newer program
     */
    public static List<Step> read(Item stored) {
        return Item.decoded(
                () -> {
                    var parts = stored.list();
                    var steps = new ArrayList<Step>();
                    for (int n = 0; n < parts.size(); n += 2) {
                        var told = Item.read(parts.get(n).bytes());
                        var content = Item.read(parts.get(n + 1).bytes());
                        steps.add(
                                new Step(
                                        told.at(0).text(),
                                        SubmissionRecord.payload(content),
                                        told.at(2).small(),
                                        told.at(3).moment()));
                    }
                    return List.copyOf(steps);
                });
    }
}
