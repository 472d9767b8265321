package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.LogPlaces.Place;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The logs of some partitions as one, in which no event comes before one that it could have
 * observed.
 *
 * <p>Events are taken in the order of their stamps. An event may have causes that were not there
 * yet when their log was looked at. It has none if its stamp is not above what is written there
 * later; and none if that log was looked at again after the event was read, because causes are
 * written before. So what is too new for the first look at the others is told after a second.
 */
final class MergedLogs {
    /** At most so many events of one log are read at once, and at least. */
    private static final int MOST_EVENTS = 256;

    private static final int FEWEST_EVENTS = 16;

    /** How much all logs tell at once, and one at least. */
    private static final int BYTES = 1 << 20;

    private static final int FEWEST_BYTES = 1 << 13;
    private static final int MOST_BYTES = 1 << 18;

    /** How many looks at logs one reading takes. */
    private static final int MOST_LOOKS = 64;

    private final ValkeyContext valkey;
    private final Optional<Partitions.Listing> listing;
    private final List<LogPortion> portions = new ArrayList<>();
    private int looks = 1;
    private boolean lookedAgain;

    /** Which look at the logs was the last before which the list of them was read. */
    private int listedWith = 1;

    /**
     * @param listing the list of the logs, if others may come to be; what is noted there later is
     *     as what is written into a log later
     */
    MergedLogs(ValkeyContext valkey, Optional<Partitions.Listing> listing) {
        this.valkey = valkey;
        this.listing = listing;
    }

    List<LogPortion> portions() {
        return portions;
    }

    /**
     * Adds the logs of partitions.
     *
     * @param from where the reader is in each; nothing for everything that is kept
     */
    void add(List<Partition> partitions, Function<Partition, Optional<Place>> from) {
        int events = events(partitions.size());
        int bytes = bytes(partitions.size());
        var answers =
                valkey.readEach(
                        "follow",
                        partitions,
                        valkey.patience(),
                        (out, partition) ->
                                LogPortion.ask(out, from.apply(partition), events, bytes));
        for (int n = 0; n < partitions.size(); n++) {
            var partition = partitions.get(n);
            var told = answers.get(n).orThrow();
            portions.add(LogPortion.of(valkey, partition, from.apply(partition), told, looks));
        }
    }

    /** Whether there is more than was taken. What waits can be taken when it is read again. */
    boolean isMore() {
        return portions.stream().anyMatch(it -> !it.isExhausted() || it.isCut());
    }

    /** The portion whose next event is told next; nothing when there is none that can be told. */
    Optional<LogPortion> next() {
        while (true) {
            // What follows in a log of which no more was read may be older than all the others.
            var unread = portions.stream().filter(it -> it.isExhausted() && it.isCut()).toList();
            if (!unread.isEmpty()) {
                if (looks >= MOST_LOOKS) {
                    return Optional.empty();
                }
                readOn(unread);
                continue;
            }
            var first =
                    portions.stream()
                            .filter(it -> !it.isExhausted())
                            .min(Comparator.comparingLong(LogPortion::nextStamp));
            if (first.isEmpty() || !waits(first.get())) {
                return first;
            }
            if (lookedAgain) {
                return Optional.empty();
            }
            lookAgain();
        }
    }

    private static int events(int logs) {
        return Math.clamp(4 * MOST_EVENTS / Math.max(1, logs), FEWEST_EVENTS, MOST_EVENTS);
    }

    private static int bytes(int logs) {
        return Math.clamp(BYTES / Math.max(1, logs), FEWEST_BYTES, MOST_BYTES);
    }

    private void readOn(List<LogPortion> some) {
        looks++;
        int events = events(some.size());
        int bytes = bytes(some.size());
        var places = some.stream().map(LogPortion::partition).toList();
        var answers =
                valkey.readEach(
                        "follow",
                        places,
                        valkey.patience(),
                        (out, partition) ->
                                some.get(places.indexOf(partition)).askOn(out, events, bytes));
        for (int n = 0; n < some.size(); n++) {
            some.get(n).extend(answers.get(n).orThrow(), looks);
        }
    }

    /** Whether a cause of the next event of a log may not have been there yet. */
    private boolean waits(LogPortion portion) {
        long stamp = portion.nextStamp();
        int read = portion.nextLook();
        boolean listed = listing.filter(it -> stamp > it.bound() && listedWith <= read).isEmpty();
        return !listed
                || portions.stream()
                        .anyMatch(
                                other ->
                                        other != portion
                                                && !other.isCut()
                                                && stamp > other.bound()
                                                && other.look() <= read);
    }

    /** Looks again at the list of the logs, and at those that were read to their ends. */
    private void lookAgain() {
        lookedAgain = true;
        var again = portions.stream().filter(it -> !it.isCut()).toList();
        if (listing.isPresent()) {
            var known = portions.stream().map(LogPortion::partition).toList();
            var others = new ArrayList<>(valkey.partitions().inUse());
            others.removeAll(known);
            looks++;
            listedWith = looks;
            add(others, partition -> Optional.of(Place.FIRST));
        }
        readOn(again);
    }
}
