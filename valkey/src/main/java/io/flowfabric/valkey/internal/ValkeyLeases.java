package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.decision.LeaseStanding;
import io.flowfabric.core.decision.StepRecording;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.stream.Append;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.StepRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** What the holder of a lease may write. */
public final class ValkeyLeases implements Leases {
    private static final int CHUNK = 256;

    /** The answer for members of flows, whose ends are decided with what follows from them. */
    private static final Ended LEFT = new Ended(Transition.COMPLETE, Optional.of(Instant.MIN));

    private final ValkeyContext valkey;
    private final ValkeySpending spending;
    private final OpeningQuestion opening;
    private final ValkeySuspensions suspensions;
    private final FlowEndings flows;

    public ValkeyLeases(ValkeyContext valkey, ValkeySpending spending, FlowSettling settling) {
        this.valkey = valkey;
        this.spending = spending;
        this.opening = new OpeningQuestion(valkey);
        this.suspensions = new ValkeySuspensions(valkey, new FlowAwaits(valkey, settling));
        this.flows = new FlowEndings(valkey, settling);
    }

    @Override
    public List<Answer<Fence>> progress(List<Progress> reports) {
        Limit.BATCH.checkCount("progress reports", reports.size());
        return each(
                asking("progress", ValkeyLeases::write),
                reports,
                Progress::fence,
                report -> 0,
                new AppliedParts(),
                (report, told) -> {
                    if (told.at(0) instanceof Item.Truth) {
                        return report.fence();
                    }
                    throw standing(report.fence(), told).lost(report.fence());
                });
    }

    @Override
    public List<Answer<BudgetView>> spend(List<UsageReport> spendings) {
        return spending.spend(spendings);
    }

    @Override
    public List<Answer<Step>> checkpoint(List<Checkpoint> checkpoints) {
        Limit.BATCH.checkCount("checkpoints", checkpoints.size());
        return each(
                asking("checkpoint", ValkeyLeases::write),
                checkpoints,
                Checkpoint::fence,
                Checkpoint::bytes,
                new AppliedParts(),
                (checkpoint, told) -> {
                    if (told.at(0) instanceof Item.Truth) {
                        return new Step(
                                checkpoint.name(),
                                checkpoint.content(),
                                checkpoint.fence().attempt(),
                                told.at(1).moment());
                    }
                    return switch (told.at(0).text()) {
                        case "known" ->
                                StepRecording.repeated(checkpoint, StepRecord.recorded(told.at(1)));
                        case "full" -> throw StepRecord.tooMuch(checkpoint, told.at(1), told.at(2));
                        default ->
                                throw standing(checkpoint.fence(), told).lost(checkpoint.fence());
                    };
                });
    }

    @Override
    public List<Answer<WaitpointView>> open(List<OpenWaitpoint> asked) {
        return opening.open(asked);
    }

    @Override
    public List<Answer<Long>> append(List<Append> appends) {
        return new ValkeyAppends(valkey).append(appends);
    }

    @Override
    public List<Answer<Ended>> end(List<Ending> endings) {
        Limit.BATCH.checkCount("endings", endings.size());
        return suspensions.amongst(endings, this::endAtOnce);
    }

    /** Ends leases by what does not depend on what else is stored. */
    private List<Answer<Ended>> endAtOnce(List<Ending> endings, AppliedParts parts) {
        var known = new FlowEndings.Known();
        var answers = endOthers(endings, known, parts);
        var members =
                IntStream.range(0, answers.size())
                        .filter(n -> answers.get(n).equals(Answer.done(LEFT)))
                        .toArray();
        if (members.length > 0) {
            var left = IntStream.of(members).mapToObj(endings::get).toList();
            var told = flows.end(left, known, parts);
            for (int n = 0; n < members.length; n++) {
                answers.set(members[n], told.get(n));
            }
        }
        return answers;
    }

    /**
     * Ends those that are no members of flows.
     *
     * @param members gets the executions of the others and their flows, as they were looked at
     */
    private List<Answer<Ended>> endOthers(
            List<Ending> endings, FlowEndings.Known members, AppliedParts parts) {
        return each(
                (home, some) -> {
                    var told =
                            valkey.call("end", home, out -> new EndRequest(some).write(out, false));
                    if (told.answer().list().size() > some.size()) {
                        members.know(valkey, home, some, told);
                    }
                    return told.answer();
                },
                endings,
                Ending::fence,
                Ending::bytes,
                parts,
                (ending, told) -> {
                    if (told instanceof Item.Truth) {
                        return new Ended(LeaseEnd.of(ending).transition(), Optional.empty());
                    }
                    if (told.at(0) instanceof Item.Truth) {
                        return new Ended(
                                LeaseEnd.of(ending).transition(),
                                told.at(1).optional(Item::moment));
                    }
                    if (isMember(told)) {
                        return LEFT;
                    }
                    return standing(ending.fence(), told).repeated(ending);
                });
    }

    static boolean isMember(Item told) {
        return !(told instanceof Item.Truth)
                && told.at(0) instanceof Item.Bytes
                && told.at(0).text().equals("member");
    }

    private static void write(Packer out, Progress report) {
        out.list(5);
        fence(out, report.fence());
        out.bytes(new Packer().list(2).number(report.percent()).text(report.message()).done());
    }

    private static void write(Packer out, Checkpoint checkpoint) {
        out.list(10);
        fence(out, checkpoint.fence());
        StepRecord.write(out, checkpoint);
    }

    static void fence(Packer out, Fence fence) {
        out.uuid(fence.execution().uuid())
                .number(fence.execution().partition().number())
                .number(fence.attempt())
                .number(fence.epoch());
    }

    /** How an execution stands whose fence does not hold. */
    static LeaseStanding standing(Fence fence, Item told) {
        return switch (told.at(0).text()) {
            case "lost" -> ExecutionFields.standing(fence.execution().uuid(), told);
            case "unreadable" ->
                    throw StoreFailure.unreadable(
                            "The execution " + fence.execution(),
                            new IllegalStateException("what is stored of it is damaged"));
            default -> throw new NotFound("execution", fence.execution().toString());
        };
    }

    /** Asks for each item by itself, those of a partition in one call, and in their order. */
    private <T, R> List<Answer<R>> each(
            BiFunction<Partition, List<T>, Item> question,
            List<T> items,
            Function<T, Fence> fence,
            ToLongFunction<T> bytes,
            AppliedParts parts,
            BiFunction<T, Item, R> reader) {
        var answers = new ArrayList<Answer<R>>(Collections.nCopies(items.size(), null));
        valkey.homes()
                .visit(
                        parts,
                        items.stream().map(item -> fence.apply(item).execution()).toList(),
                        (home, places) -> {
                            var unknown = new ArrayList<Integer>();
                            for (var part :
                                    Chunks.of(
                                            places, CHUNK, i -> bytes.applyAsLong(items.get(i)))) {
                                var some = part.stream().map(items::get).toList();
                                var told = parts.change(() -> question.apply(home, some));
                                for (int n = 0; n < some.size(); n++) {
                                    answers.set(
                                            part.get(n),
                                            answer(some.get(n), fence, told.at(n), reader));
                                    if (isUnknown(told.at(n))) {
                                        unknown.add(part.get(n));
                                    }
                                }
                            }
                            return unknown;
                        });
        return answers;
    }

    /** Asks a function about items of a partition. */
    private <T> BiFunction<Partition, List<T>, Item> asking(
            String function, BiConsumer<Packer, T> writer) {
        return (home, some) -> valkey.call(function, home, out -> out.list(some, writer)).answer();
    }

    static boolean isUnknown(Item told) {
        return !(told instanceof Item.Truth)
                && told.at(0) instanceof Item.Bytes
                && told.at(0).text().equals("unknown");
    }

    private static <T, R> Answer<R> answer(
            T item, Function<T, Fence> fence, Item told, BiFunction<T, Item, R> reader) {
        try {
            return Answer.done(reader.apply(item, told));
        } catch (Item.Unreadable damaged) {
            return Answer.refused(
                    StoreFailure.unreadable(
                            "The execution " + fence.apply(item).execution(), damaged));
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }
}
