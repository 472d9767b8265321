package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Digest;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** How work comes in. */
public final class ValkeySubmissions implements Submissions {
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final StrayWork strays;
    private final HeldKeys keys;
    private final KnownSubmissions known;
    private final HeardNews news;

    public ValkeySubmissions(ValkeyContext valkey) {
        this.valkey = valkey;
        this.strays = new StrayWork(valkey);
        this.keys = new HeldKeys(valkey, strays);
        this.known = new KnownSubmissions(valkey);
        this.news = new HeardNews(valkey);
    }

    @Override
    public List<Answer<Submitted>> submit(List<Submission> submissions) {
        Limit.BATCH.checkCount("submissions", submissions.size());
        var answers = new ArrayList<Answer<Submitted>>(submissions.size());
        var spreads = new HashMap<Namespace, Spread>();
        var homes = new LinkedHashMap<Partition, List<Integer>>();
        var lookedForElsewhere = new BitSet();
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            var namespace = submission.lane().namespace();
            var home = spreads.computeIfAbsent(namespace, valkey::inUse).of(submission);
            homes.computeIfAbsent(home, first -> new ArrayList<>()).add(i);
            lookedForElsewhere.set(i, !isFoundAtHome(submission, home));
            answers.add(Answer.done(new Submitted(submission.id(), true)));
        }
        var applied = new AppliedParts();
        var flight = new PartsInFlight(applied);
        homes.forEach(
                (home, places) -> {
                    var parts = SubmissionParts.of(submissions, places);
                    for (var part : parts) {
                        var some = part.stream().map(submissions::get).toList();
                        Consumer<List<Answer<Submitted>>> whenAnswered =
                                told -> {
                                    for (int n = 0; n < told.size(); n++) {
                                        answers.set(part.get(n), told.get(n));
                                    }
                                };
                        boolean only = homes.size() == 1 && parts.size() == 1;
                        if (!only && part.stream().noneMatch(lookedForElsewhere::get)) {
                            boolean last = part.equals(parts.getLast());
                            flight.send(home, last, order -> send(home, some, order), whenAnswered);
                        } else {
                            // What it is compared with elsewhere may be on its way.
                            flight.awaitAll();
                            whenAnswered.accept(applied.change(() -> store(home, some)));
                        }
                    }
                });
        flight.awaitAll();
        return answers;
    }

    /** Whether the id and the key of some work lead to where it is to be stored. */
    boolean isFoundAtHome(Submission submission, Partition home) {
        return strays.isHome(submission, home) && keys.isHome(submission, home);
    }

    /** Sends work that is found where it lies, and says how to wait for the answers. */
    private Supplier<List<Answer<Submitted>>> send(
            Partition home, List<Submission> submissions, PartOrder order) {
        var digests = submissions.stream().map(Submission::digest).toList();
        var request =
                request(home, submissions, digests, Optional.empty(), Optional.empty(), order);
        var sent = valkey.send("submit", home, request::write);
        return () -> {
            var told = sent.get();
            // A part that was not looked at begins anew: what follows it was not, either.
            return told.answer() instanceof Item.Bytes
                    ? store(home, submissions)
                    : answers(home, submissions, digests, told);
        };
    }

    private SubmitRequest request(
            Partition home,
            List<Submission> submissions,
            List<Digest> digests,
            Optional<Instant> latest,
            Optional<Long> removals,
            PartOrder order) {
        return new SubmitRequest(
                submissions,
                digests,
                latest,
                removals,
                lane -> isApart(lane, home),
                order,
                !valkey.spreads().at(home).isEmpty());
    }

    /** Stores work that can be found by then, wherever its id and its key lead to. */
    private List<Answer<Submitted>> store(Partition home, List<Submission> submissions) {
        var applied = new AppliedParts();
        var answers = new ArrayList<Answer<Submitted>>(submissions.size());
        for (var part : keys.apart(submissions, home)) {
            answers.addAll(applied.change(() -> storeAsHeard(home, part)));
        }
        return answers;
    }

    private Collection<Answer<Submitted>> storeAsHeard(
            Partition home, List<Submission> submissions) {
        return news.asHeard(home, removals -> storeTogether(home, submissions, removals))
                .orElseGet(() -> submissions.stream().map(it -> contended(it)).toList());
    }

    /**
     * @param removals how many this process had heard of before it lets the work be found
     */
    private Collection<Answer<Submitted>> storeTogether(
            Partition home, List<Submission> submissions, long removals) {
        var held = keys.hold(submissions, home);
        var answers = new TreeMap<>(held.used());
        answers.putAll(strays.makeFindable(submissions, home));
        var places =
                IntStream.range(0, submissions.size())
                        .filter(i -> !answers.containsKey(i))
                        .toArray();
        var rest =
                places.length == submissions.size()
                        ? submissions
                        : IntStream.of(places).mapToObj(submissions::get).toList();
        try {
            var told = submit(home, rest, held.latest(), removals);
            for (int n = 0; n < places.length; n++) {
                answers.put(places[n], told.get(n));
            }
        } catch (UnheardSpread | UnheardRemoval unheard) {
            keys.giveUpAll(held, submissions, home);
            throw unheard;
        }
        keys.giveUpRefused(held, submissions, answers, home);
        return answers.values();
    }

    private Answer<Submitted> store(Partition home, Submission submission) {
        return store(home, List.of(submission)).getFirst();
    }

    /**
     * @param latest when it is too late: keys may not be held any more
     * @param removals how many this process had heard of before the work could be found
     */
    private List<Answer<Submitted>> submit(
            Partition home, List<Submission> submissions, Optional<Instant> latest, long removals) {
        if (submissions.isEmpty()) {
            return List.of();
        }
        var digests = submissions.stream().map(Submission::digest).toList();
        boolean elsewhere = submissions.stream().anyMatch(it -> !isFoundAtHome(it, home));
        var findable = elsewhere ? Optional.of(removals) : Optional.<Long>empty();
        var request = request(home, submissions, digests, latest, findable, PartOrder.ALONE);
        var told = valkey.call("submit", home, request::write);
        return switch (told.answer()) {
            case Item.Items all -> answers(home, submissions, digests, told);
            case Item.Bytes word -> throw new UnheardSpread();
            default -> throw new UnheardRemoval(told.answer().number());
        };
    }

    private List<Answer<Submitted>> answers(
            Partition home, List<Submission> submissions, List<Digest> digests, Told answer) {
        var told = answer.answer().list();
        var gathered = new LinkedHashMap<Partition, List<Integer>>();
        var answers = new ArrayList<Answer<Submitted>>(submissions.size());
        for (int i = 0; i < submissions.size(); i++) {
            var submission = submissions.get(i);
            answers.add(Answer.done(new Submitted(submission.id(), true)));
            if (isGathered(told.get(i))) {
                gathered.computeIfAbsent(main(submission.lane()), first -> new ArrayList<>())
                        .add(i);
            } else if (!(told.get(i) instanceof Item.Truth)) {
                answers.set(i, answer(home, submission, digests.get(i), told.get(i), answer.now()));
            }
        }
        var applied = new AppliedParts();
        if (gathered.values().stream().mapToInt(List::size).sum() < submissions.size()) {
            applied.mayApply();
        }
        gathered.forEach(
                (main, places) -> {
                    var some = places.stream().map(submissions::get).toList();
                    var others = applied.change(() -> store(main, some));
                    for (int n = 0; n < places.size(); n++) {
                        answers.set(places.get(n), others.get(n));
                    }
                });
        return answers;
    }

    private static boolean isGathered(Item told) {
        return !(told instanceof Item.Truth) && told.at(0).text().equals("gathered");
    }

    private boolean isApart(Lane lane, Partition home) {
        return !main(lane).equals(home);
    }

    private Partition main(Lane lane) {
        return valkey.spread(lane.namespace()).main();
    }

    /** The answer for work whose key is held for other work, which may never come. */
    private Answer<Submitted> held(Partition home, Submission submission, Item told, Instant now) {
        return keys.held(submission, told, main(submission.lane()), now)
                .orElseGet(
                        () -> {
                            keys.giveUp(home, submission, told);
                            return store(home, submission);
                        });
    }

    /** The answer for work whose id leads elsewhere; where nothing is there it is stored here. */
    private Answer<Submitted> elsewhere(Partition home, Submission submission, Partition other) {
        return strays.known(submission, other)
                .orElseGet(
                        () ->
                                valkey.homes().clear(submission.id(), home, other)
                                        ? store(home, submission)
                                        : contended(submission));
    }

    private static Answer<Submitted> contended(Submission submission) {
        return Answer.refused(new Contended("the submission " + submission.id(), RETRY_AFTER));
    }

    private Answer<Submitted> answer(
            Partition home, Submission submission, Digest digest, Item told, Instant now) {
        try {
            return switch (told.at(0).text()) {
                case "elsewhere" -> elsewhere(home, submission, new Partition(told.at(1).small()));
                case "known" -> Answer.done(known.repeated(home, submission, digest, told));
                case "held" -> held(home, submission, told, now);
                case "late" -> contended(submission);
                case "closed" -> {
                    Acceptance.mustTake(submission.lane(), Codes.LANE_STATES.word(told.at(1)));
                    throw new IllegalStateException("the lane takes work");
                }
                default -> throw GateDefinition.missing(told);
            };
        } catch (Item.Unreadable damaged) {
            return Answer.refused(
                    StoreFailure.unreadable("What was submitted as " + submission.id(), damaged));
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }
}
