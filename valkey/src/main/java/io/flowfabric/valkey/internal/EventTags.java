package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.Tags;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The tags of executions that the log of one partition tells of, also of those forgotten since. */
final class EventTags {
    private final ValkeyContext valkey;
    private final Partition home;
    private final Map<UUID, Lives> lives = new HashMap<>();

    EventTags(ValkeyContext valkey, Partition home) {
        this.valkey = valkey;
        this.home = home;
    }

    /** The tags of an execution that is stored, and of those that had its id before. */
    private record Lives(Optional<Tags> present, List<PastLife> past) {
        Tags at(long number) {
            return past.stream()
                    .filter(life -> number <= life.last)
                    .findFirst()
                    .map(PastLife::tags)
                    .or(() -> present)
                    .orElse(Tags.NONE);
        }
    }

    /**
     * The tags of an execution that was forgotten.
     *
     * @param last the last entry that tells of it
     */
    private record PastLife(long last, Tags tags) {}

    /** Looks up those of some executions. */
    void lookUp(Set<UUID> executions) {
        var unknown = new HashSet<>(executions);
        unknown.removeAll(lives.keySet());
        for (var part : EventDecoder.parts(unknown)) {
            var told =
                    valkey.read(
                                    "read",
                                    home,
                                    out -> {
                                        out.list(1).list(2).text("detail").list(2 * part.size());
                                        for (var id : part) {
                                            Records.detail(out, id, 's');
                                            Records.detail(out, id, 't');
                                        }
                                    })
                            .answer()
                            .at(0);
            for (int n = 0; n < part.size(); n++) {
                lives.put(part.get(n), readable(told.at(2 * n), told.at(2 * n + 1)));
            }
        }
    }

    /** Work that cannot be read has no tags, and is in nobody's way. */
    private static Lives readable(Item present, Item past) {
        try {
            return Item.decoded(() -> lives(present, past));
        } catch (Item.Unreadable damaged) {
            return new Lives(Optional.empty(), List.of());
        }
    }

    private static Lives lives(Item present, Item past) {
        var over = new ArrayList<PastLife>();
        if (!past.isAbsent()) {
            for (var life : Item.read(past.bytes()).list()) {
                var numbers = life.at(0).bytes();
                long last = EntryNumbers.at(numbers, numbers.length - EntryNumbers.BYTES);
                over.add(new PastLife(last, SubmissionRecord.tagsOf(life.at(1))));
            }
        }
        return new Lives(present.optional(SubmissionRecord::tags), over);
    }

    /** The tags that an execution had when an entry of the log was written. */
    Tags of(UUID execution, long number) {
        return Optional.ofNullable(lives.get(execution))
                .map(known -> known.at(number))
                .orElse(Tags.NONE);
    }
}
