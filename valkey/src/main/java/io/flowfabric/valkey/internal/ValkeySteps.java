package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.decision.StepRecording;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.StepRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.List;

/** The recorded steps of executions, as they are read. */
final class ValkeySteps {
    private final ValkeyContext valkey;

    ValkeySteps(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /** A page of the steps of one execution. */
    Page<Step> page(ExecutionId execution, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        return valkey.at(
                execution,
                home -> {
                    var told =
                            valkey.read(
                                            "steps",
                                            home,
                                            out ->
                                                    out.list(5)
                                                            .uuid(execution.uuid())
                                                            .number(execution.partition().number())
                                                            .number(before)
                                                            .number(max)
                                                            .number(Chunks.BYTES))
                                    .answer();
                    if (told.isAbsent()) {
                        throw new NotFound("execution", execution.toString());
                    }
                    return NumberedPages.page(
                            before, steps(execution, told), Step::bytes, max, told.at(1).truth());
                });
    }

    private static List<Step> steps(ExecutionId execution, Item told) {
        try {
            return StepRecord.read(told.at(0));
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The execution " + execution, damaged);
        }
    }

    /** A lease that is held, with the steps of its execution as they are now. */
    Lease with(Lease lease, ExecutionFields row) {
        if (row.stepBytes().isEmpty()) {
            return lease;
        }
        if (!StepRecording.comeWithLease(row.stepBytes().get())) {
            return lease.withStepsApart();
        }
        return lease.steps(page(row.id(), Cursor.START, (int) Limit.PAGE.max()).items());
    }

    /**
     * A lease with its steps.
     *
     * @param told as {@code claim.lua} tells of them: themselves, or their size, or nothing
     */
    static Lease with(Lease lease, Item told) {
        if (told.isAbsent()) {
            return lease;
        }
        return told instanceof Item.Items
                ? lease.steps(StepRecord.read(told))
                : lease.withStepsApart();
    }
}
