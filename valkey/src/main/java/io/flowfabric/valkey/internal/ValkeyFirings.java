package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.decision.ScheduleChanges;
import io.flowfabric.core.schedule.Firing;
import io.flowfabric.core.schedule.Firing.DueWork;
import io.flowfabric.core.schedule.Firings;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How schedules are fired: one call compares how the schedule stands with what the engine had read,
 * takes the work in, and writes how it stands then.
 *
 * <p>In a spread namespace the work may lie elsewhere. There it is submitted first, under an id
 * that comes from its occurrence, and the schedule goes on afterwards: who repeats it submits the
 * same.
 */
public final class ValkeyFirings implements Firings {
    private static final Logger log = LoggerFactory.getLogger(ValkeyFirings.class);

    private final ValkeyContext valkey;
    private final ValkeySubmissions submissions;

    public ValkeyFirings(ValkeyContext valkey) {
        this.valkey = valkey;
        this.submissions = new ValkeySubmissions(valkey);
    }

    @Override
    public DueSchedules due(int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var now = valkey.read("read", Partitions.FIRST, out -> out.list(0)).now();
        var places = new ArrayList<String>();
        for (String number :
                NameListing.names(
                        valkey,
                        Partitions.FIRST,
                        StoredSchedule.PARTITION_LETTER,
                        "",
                        ValkeySchedules.ALL)) {
            places.addAll(
                    NameListing.names(
                            valkey,
                            new Partition(Integer.parseInt(number)),
                            StoredSchedule.DUE_LETTER,
                            "",
                            max + 1));
        }
        places.sort(Comparator.comparing(StoredSchedule::dueOf));
        var due = places.stream().filter(place -> isDue(place, now)).limit(max).toList();
        var next =
                places.stream()
                        .skip(due.size())
                        .findFirst()
                        .map(StoredSchedule::dueOf)
                        .filter(at -> at.isAfter(now))
                        .map(at -> Duration.between(now, at));
        var schedules = due.stream().flatMap(place -> read(place).stream()).toList();
        return new DueSchedules(now, schedules, next);
    }

    private static boolean isDue(String place, Instant now) {
        return !StoredSchedule.dueOf(place).isAfter(now);
    }

    private Optional<ScheduleView> read(String place) {
        try {
            return ValkeySchedules.find(
                            valkey, StoredSchedule.namespaceOf(place), StoredSchedule.nameOf(place))
                    .map(StoredSchedule::view);
        } catch (StoreFailure unreadable) {
            log.warn("A schedule is passed over", unreadable);
            return Optional.empty();
        }
    }

    @Override
    public List<Answer<ScheduleView>> fire(List<Firing> firings) {
        Limit.BATCH.checkCount("firings", firings.size());
        var answers = new ArrayList<Answer<ScheduleView>>(firings.size());
        var applied = new AppliedParts();
        for (Firing firing : firings) {
            answers.add(applied.change(() -> ValkeyFlows.answered(() -> fire(firing))));
        }
        return answers;
    }

    private ScheduleView fire(Firing firing) {
        var work = firing.work().stream().map(DueWork::submission).toList();
        var spread = valkey.inUse(firing.namespace());
        var home = spread.main();
        boolean together =
                !spread.isWide()
                        && work.stream().allMatch(it -> submissions.isFoundAtHome(it, home));
        var answers =
                new ArrayList<Optional<Answer<Submitted>>>(
                        Collections.nCopies(work.size(), Optional.empty()));
        return GuardedWrites.retry(
                ValkeySchedules.words(firing.schedule()),
                () -> attempt(home, firing, work, answers, together));
    }

    /**
     * @param answers of those items that are not taken in with the schedule: what is known of them
     */
    private Optional<ScheduleView> attempt(
            Partition home,
            Firing firing,
            List<Submission> work,
            List<Optional<Answer<Submitted>>> answers,
            boolean together) {
        var stored =
                ValkeySchedules.find(valkey, firing.namespace(), firing.schedule())
                        .orElseThrow(() -> ValkeySchedules.unknown(firing.schedule()));
        var now = valkey.read("read", home, out -> out.list(0)).now();
        ScheduleChanges.mustFit(stored.view(), firing, now);
        if (!together) {
            submitFirst(work, answers);
        }
        var coming =
                IntStream.range(0, work.size())
                        .filter(n -> answers.get(n).isEmpty())
                        .boxed()
                        .toList();
        var all =
                IntStream.range(0, work.size())
                        .mapToObj(n -> answers.get(n).orElseGet(() -> taken(work.get(n))))
                        .toList();
        var after = ScheduleChanges.fired(stored.view(), firing, all, now);
        var some = coming.stream().map(work::get).toList();
        var told = call(home, stored, after, some);
        switch (told.at(0).text()) {
            case "done" -> {
                return Optional.of(after);
            }
            case "refused" -> {
                int place = coming.get(told.at(1).small() - 1);
                answers.set(place, Optional.of(refusal(work.get(place), told.at(2))));
            }
            case "unheard" -> valkey.spreads().mustReadAgain();
            default -> {
                // Somebody came in between, and it is looked at again.
            }
        }
        return Optional.empty();
    }

    private void submitFirst(List<Submission> work, List<Optional<Answer<Submitted>>> answers) {
        if (work.isEmpty() || answers.getFirst().isPresent()) {
            return;
        }
        var told = submissions.submit(work);
        for (int n = 0; n < work.size(); n++) {
            var answer = told.get(n);
            if (ScheduleChanges.isPassing(answer)) {
                answer.orThrow();
            }
            answers.set(n, Optional.of(answer));
        }
    }

    private static Answer<Submitted> taken(Submission submission) {
        return Answer.done(new Submitted(submission.id(), true));
    }

    private Item call(
            Partition home, StoredSchedule before, ScheduleView after, List<Submission> work) {
        var schedule = after.schedule();
        var field = StoredSchedule.standingField(schedule.namespace(), schedule.name());
        var digests = work.stream().map(Submission::digest).toList();
        var request =
                new SubmitRequest(
                        work,
                        digests,
                        Optional.empty(),
                        Optional.empty(),
                        lane -> false,
                        PartOrder.ALONE,
                        !valkey.spreads().at(home).isEmpty());
        var left = StoredSchedule.dueMember(before.view());
        var place = StoredSchedule.dueMember(after);
        boolean moved = !left.equals(place);
        int writes = 1 + (moved && left.isPresent() ? 1 : 0) + (moved && place.isPresent() ? 1 : 0);
        return valkey.call(
                        "fire",
                        home,
                        out -> {
                            out.list(3).list(1).list(3).text(StoredSchedule.HASH).bytes(field);
                            out.text(before.standing()).list(writes);
                            out.list(4).text("set").text(StoredSchedule.HASH).bytes(field);
                            out.bytes(StoredSchedule.standing(after));
                            if (moved) {
                                left.ifPresent(one -> drop(out, one));
                                place.ifPresent(one -> add(out, one));
                            }
                            request.write(out);
                        })
                .answer();
    }

    private static void drop(Packer out, String member) {
        out.list(3).text("drop").text(StoredSchedule.LISTING).text(member);
    }

    private static void add(Packer out, String member) {
        out.list(4).text("add").text(StoredSchedule.LISTING).number(0).text(member);
    }

    private Answer<Submitted> refusal(Submission submission, Item why) {
        try {
            return switch (why.at(0).text()) {
                // It is there already, under the same id: asked for once more, it answers so.
                case "known" -> submissions.submit(List.of(submission)).getFirst();
                case "closed" -> {
                    Acceptance.mustTake(submission.lane(), Codes.LANE_STATES.word(why.at(1)));
                    throw new IllegalStateException("the lane takes work");
                }
                default -> throw GateDefinition.missing(why);
            };
        } catch (FlowFabricException refused) {
            return Answer.refused(refused);
        }
    }
}
