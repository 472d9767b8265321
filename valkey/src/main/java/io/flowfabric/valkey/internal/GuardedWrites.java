package io.flowfabric.valkey.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Contended;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.feed.Event;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Writes what was decided here, if everything that it was decided by is still as it was read;
 * otherwise it is decided anew. Everything is written in one step, or nothing.
 */
public final class GuardedWrites {
    /** So often others may come in between. */
    private static final int ATTEMPTS = 32;

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    /** The number of an event that was decided here. */
    private static final int EVENT_OTHER = 1;

    /** The number of one that another partition tells of. */
    private static final int EVENT_OTHER_OF_PART = 7;

    private final ValkeyContext valkey;

    public GuardedWrites(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * Decides, and writes what was decided.
     *
     * @param what is changed, in words
     * @param decision reads, and notes what is to be written; it may be asked repeatedly, and what
     *     it throws is thrown
     * @throws Contended when others came in between each time
     */
    public <R> R decide(Partition home, String what, Function<Draft, R> decision) {
        return retry(
                what,
                () -> {
                    var draft = new Draft(valkey, home);
                    var answer = decision.apply(draft);
                    return draft.isWritten() ? Optional.of(answer) : Optional.empty();
                });
    }

    /**
     * Tries something until nobody comes in between.
     *
     * @param what is changed, in words
     * @param attempt what is tried; it answers nothing when somebody came in between
     * @throws Contended when somebody did each time
     */
    static <R> R retry(String what, Supplier<Optional<R>> attempt) {
        for (int n = 0; n < ATTEMPTS; n++) {
            var answer = attempt.get();
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw new Contended(what, RETRY_AFTER);
    }

    /** What was read, and what is to be written if it is still so. */
    public static final class Draft {
        private final ValkeyContext valkey;
        private final Partition home;
        private final List<Consumer<Packer>> checks = new ArrayList<>();
        private final List<Consumer<Packer>> writes = new ArrayList<>();
        private Optional<Instant> now = Optional.empty();

        private Draft(ValkeyContext valkey, Partition home) {
            this.valkey = valkey;
            this.home = home;
        }

        /** The time of the store, when it was read last. */
        public Instant now() {
            if (now.isEmpty()) {
                seen(valkey.read("read", home, out -> out.list(0)));
            }
            return now.orElseThrow();
        }

        /** The value of a field, if there is one. What is decided depends on it. */
        public Optional<byte[]> read(String hash, byte[] field) {
            return read(hash, List.of(field)).getFirst();
        }

        /** The value of a field, if there is one. What is decided depends on it. */
        public Optional<byte[]> read(String hash, String field) {
            return read(hash, field.getBytes(UTF_8));
        }

        /** The values of fields, in their order. What is decided depends on all of them. */
        public List<Optional<byte[]>> read(String hash, List<byte[]> fields) {
            var values = look(hash, fields);
            for (int i = 0; i < fields.size(); i++) {
                var field = fields.get(i);
                var value = values.get(i);
                checks.add(
                        out -> out.list(3).text(hash).bytes(field).optional(value, Packer::bytes));
            }
            return values;
        }

        /** The values of fields that may change without anything being decided otherwise. */
        public List<Optional<byte[]>> look(String hash, List<byte[]> fields) {
            return seen(valkey.read(
                            "read",
                            home,
                            out -> out.list(1).list(2).text(hash).list(fields, Packer::bytes)))
                    .at(0)
                    .list(value -> value.optional(Item::bytes));
        }

        private Item seen(Told told) {
            now = Optional.of(told.now());
            return told.answer();
        }

        public Draft set(String hash, byte[] field, byte[] value) {
            writes.add(out -> out.list(4).text("set").text(hash).bytes(field).bytes(value));
            return this;
        }

        public Draft set(String hash, String field, byte[] value) {
            return set(hash, field.getBytes(UTF_8), value);
        }

        public Draft remove(String hash, byte[] field) {
            writes.add(out -> out.list(3).text("remove").text(hash).bytes(field));
            return this;
        }

        public Draft remove(String hash, String field) {
            return remove(hash, field.getBytes(UTF_8));
        }

        public Draft add(String set, long score, byte[] member) {
            writes.add(out -> out.list(4).text("add").text(set).number(score).bytes(member));
            return this;
        }

        public Draft add(String set, long score, String member) {
            return add(set, score, member.getBytes(UTF_8));
        }

        public Draft drop(String set, byte[] member) {
            writes.add(out -> out.list(3).text("drop").text(set).bytes(member));
            return this;
        }

        public Draft drop(String set, String member) {
            return drop(set, member.getBytes(UTF_8));
        }

        /** Tells what happened. */
        public Draft tell(Event event) {
            writes.add(out -> out.list(2).text("event").packed(packed(event)));
            return this;
        }

        /**
         * Lets claims look again at what something shuts.
         *
         * @param by its letter and its name
         */
        public Draft reopen(String by) {
            writes.add(out -> out.list(2).text("reopen").text(by));
            return this;
        }

        /** There may be work in any lane of a namespace. */
        public Draft wake(Namespace namespace) {
            writes.add(out -> out.list(2).text("wake").text(namespace.name()));
            return this;
        }

        private boolean isWritten() {
            return writes.isEmpty()
                    || valkey.call(
                                    "apply",
                                    home,
                                    out ->
                                            out.list(2)
                                                    .list(checks, (o, check) -> check.accept(o))
                                                    .list(writes, (o, write) -> write.accept(o)))
                            .answer()
                            .truth();
        }
    }

    /** An event that was decided here, as the log keeps it. */
    public static byte[] packed(Event event) {
        return packed(event, EVENT_OTHER);
    }

    /** An event that another partition tells of, for histories in this one. */
    static byte[] packedForPart(Event event) {
        return packed(event, EVENT_OTHER_OF_PART);
    }

    private static byte[] packed(Event event, int kind) {
        return new Packer().list(2).number(kind).text(EventCodec.write(event).toString()).done();
    }
}
