package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/** What is read of the logs: everything once, nothing before what it could have observed. */
class FollowedLogsTest {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);
    private static final Attribution OLGA = new Attribution("olga", "a test");

    private final String name = "followed-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final TestRedis redis = TestRedis.oneNode();
    private final VirtualClock clock = new VirtualClock();
    private final ValkeyStore store = new ValkeyStore(redis.wire(keys), Optional.of(clock));

    @AfterEach
    void close() {
        store.close();
        redis.forget(name);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void a_cursor_notices_that_the_log_lost_its_end_and_was_written_on(int read) {
        submit(Namespace.DEFAULT);
        var before = copy();
        submit(Namespace.DEFAULT);
        submit(Namespace.DEFAULT);
        var cursor = store.feeds().read(EVERYTHING, store.feeds().beginning(), read).next();
        putBack(before);
        clock.advance(Duration.ofSeconds(1));
        IntStream.range(0, 5).forEach(n -> submit(Namespace.DEFAULT));

        if (read == 1) {
            // This one is where it was.
            assertThat(store.feeds().read(EVERYTHING, cursor, 100).entries()).hasSize(5);
        } else {
            assertRestored(cursor);
        }
    }

    @Test
    void a_cursor_in_the_middle_of_an_entry_and_one_at_the_end_notice_it_too() {
        submit(Namespace.DEFAULT);
        var before = copy();
        var two = List.of(work(Namespace.DEFAULT), work(Namespace.DEFAULT));
        store.submissions().submit(two);
        var middle = store.feeds().read(EVERYTHING, store.feeds().beginning(), 2).next();
        var end = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
        assertThat(store.feeds().read(EVERYTHING, middle, 10).entries()).hasSize(1);
        putBack(before);
        assertRestored(middle);
        assertRestored(end);
        clock.advance(Duration.ofSeconds(1));
        store.submissions().submit(List.of(work(Namespace.DEFAULT), work(Namespace.DEFAULT)));
        assertRestored(middle);
        assertRestored(end);
    }

    /** Between the look at the log and the writing any time may have passed, or none. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 600, 5000, 20_000})
    void an_effect_is_never_told_before_its_cause(int ahead) {
        var low = namespaces(5).getFirst();
        var high = namespaces(5).getLast();
        submit(low);
        submit(high);
        var from = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
        var other = new VirtualClock();
        other.advance(Duration.between(other.instant(), clock.instant()));
        clock.advance(Duration.ofSeconds(10));
        other.advance(Duration.ofSeconds(10).plusMillis(ahead));
        try (var writer = new ValkeyStore(redis.wire(keys), Optional.of(other))) {
            var between =
                    new Between(
                            redis.wire(keys),
                            Partition.of(low),
                            () -> {
                                submit(writer, low);
                                submit(writer, high);
                            });
            try (var reader = new ValkeyStore(between, Optional.of(clock))) {
                var told = read(reader, from, 2);

                assertThat(told).containsExactly(low, high);
                assertThat(between.happened).isTrue();
            }
        }
    }

    @Test
    void nor_when_the_cause_is_the_first_event_of_its_partition() {
        var low = namespaces(5).getFirst();
        var high = namespaces(5).getLast();
        submit(low);
        var from = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
        try (var writer = new ValkeyStore(redis.wire(keys), Optional.of(clock))) {
            var between =
                    new Between(
                            redis.wire(keys),
                            Partition.of(Namespace.DEFAULT),
                            () -> {
                                submit(writer, high);
                                submit(writer, low);
                            });
            try (var reader = new ValkeyStore(between, Optional.of(clock))) {
                assertThat(read(reader, from, 2)).containsExactly(high, low);
            }
        }
    }

    @Test
    void a_page_is_bounded_by_its_events_and_its_bytes() {
        var failure = new Failure("broken", "beyond repair", "x".repeat(16_000));
        for (int n = 0; n < 10; n++) {
            var works = IntStream.range(0, 50).mapToObj(i -> work(Namespace.DEFAULT)).toList();
            store.submissions().submit(works);
            var fails = new ArrayList<OperatorCommand>();
            works.forEach(work -> fails.add(new OperatorCommand.Fail(work.id(), failure)));
            store.operations().act(fails, OLGA).forEach(Answer::orThrow);
        }
        var counted = new Counted(redis.wire(keys));
        try (var reader = new ValkeyStore(counted, Optional.of(clock))) {
            var cursor = reader.feeds().beginning();
            int told = 0;
            boolean more = true;
            while (more) {
                var batch = reader.feeds().read(EVERYTHING, cursor, 100);
                told += batch.entries().size();
                cursor = batch.next();
                more = batch.more();
            }
            assertThat(told).isEqualTo(1000);
            // One entry of failures is 800 KB; each is read a few times, and one at a time.
            assertThat(counted.largest).isLessThan(1 << 20);
            assertThat(counted.sum).isLessThan(24 << 20);
        }
    }

    @Test
    void a_cursor_for_all_partitions_is_not_too_long() {
        namespaces(Partition.COUNT - 1).forEach(this::submit);

        var batch = store.feeds().read(EVERYTHING, Cursor.START, 100);
        int told = 0;
        while (true) {
            told += batch.entries().size();
            if (!batch.more()) {
                break;
            }
            batch = store.feeds().read(EVERYTHING, batch.next(), 100);
        }

        assertThat(told).isEqualTo(Partition.COUNT - 1);
        assertThat(batch.next().text()).hasSizeLessThanOrEqualTo(4096);
        assertThat(store.feeds().read(EVERYTHING, batch.next(), 1).entries()).isEmpty();
    }

    @Test
    void a_feed_of_some_partitions_reads_only_these_until_work_of_theirs_lies_elsewhere() {
        var namespaces = namespaces(20);
        namespaces.forEach(this::submit);
        var wanted = Partition.of(namespaces.get(7));
        var filter = EVERYTHING.partition(wanted);
        var counted = new Counted(redis.wire(keys));
        try (var reader = new ValkeyStore(counted, Optional.of(clock))) {
            var first = reader.feeds().read(filter, Cursor.START, 10);
            assertThat(first.entries()).hasSize(1);
            assertThat(counted.partitions).isOne();

            var stray = work(namespaces.get(3)).id(new ExecutionId(wanted, UUID.randomUUID()));
            store.submissions().submit(List.of(stray)).getFirst().orThrow();
            var now = reader.feeds().read(filter, Cursor.NOW, 10);
            submit(namespaces.get(7));

            assertThat(reader.feeds().read(filter, first.next(), 10).entries())
                    .extracting(entry -> ((Event.Step) entry.event()).execution())
                    .hasSize(2)
                    .contains(stray.id());
            assertThat(reader.feeds().read(filter, now.next(), 10).entries()).hasSize(1);
        }
    }

    private void assertRestored(Cursor cursor) {
        assertThatThrownBy(() -> store.feeds().read(EVERYTHING, cursor, 100))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        refusal ->
                                assertThat(refusal.code()).isEqualTo(Invalid.Code.CURSOR_RESTORED));
    }

    private static List<Namespace> read(Store reader, Cursor from, int count) {
        var told = new ArrayList<Namespace>();
        var cursor = from;
        for (int n = 0; told.size() < count && n < 10; n++) {
            var batch = reader.feeds().read(EVERYTHING, cursor, 10);
            batch.entries().forEach(entry -> told.add(((Event.Step) entry.event()).namespace()));
            cursor = batch.next();
        }
        return told;
    }

    /** Namespaces in the order of their partitions, each with its own. */
    private static List<Namespace> namespaces(int count) {
        var found = new HashMap<Integer, Namespace>();
        found.put(Partition.of(Namespace.DEFAULT).number(), Namespace.DEFAULT);
        for (int n = 0; found.size() <= count; n++) {
            var namespace = new Namespace("tenant-" + n);
            found.putIfAbsent(Partition.of(namespace).number(), namespace);
        }
        return found.entrySet().stream()
                .filter(one -> !one.getValue().equals(Namespace.DEFAULT))
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .toList();
    }

    private static Submission work(Namespace namespace) {
        return Submission.of("work", Payload.EMPTY)
                .id(ExecutionId.mint(namespace))
                .lane(new Lane(namespace, "lane"));
    }

    private void submit(Namespace namespace) {
        submit(store, namespace);
    }

    private static void submit(Store store, Namespace namespace) {
        store.submissions().submit(List.of(work(namespace))).getFirst().orThrow();
    }

    /** The keys of the partition of the default namespace, as they are. */
    private Map<String, byte[]> copy() {
        var all = new HashMap<String, byte[]>();
        for (var key : KeySpace.NAMES) {
            Optional.ofNullable(redis.direct().dump(keys.key(partition(), key)))
                    .ifPresent(dump -> all.put(key, dump));
        }
        return all;
    }

    /** What a failover does that loses the last second. */
    private void putBack(Map<String, byte[]> all) {
        for (var name : KeySpace.NAMES) {
            var key = keys.key(partition(), name);
            redis.direct().del(key);
            Optional.ofNullable(all.get(name))
                    .ifPresent(dump -> redis.direct().restore(key, 0, dump));
        }
    }

    private static Partition partition() {
        return Partition.of(Namespace.DEFAULT);
    }

    /** Lets something happen after one partition was read, and before the others are. */
    private static final class Between extends PassedOnWire {
        private final Partition first;
        private final Runnable event;
        boolean happened;

        Between(Wire wire, Partition first, Runnable event) {
            super(wire);
            this.first = first;
            this.event = event;
        }

        @Override
        public List<Answer<byte[]>> readEach(
                String function,
                List<Partition> partitions,
                List<byte[]> requests,
                Duration patience) {
            int at = partitions.indexOf(first);
            if (happened || at < 0) {
                return super.readEach(function, partitions, requests, patience);
            }
            var early =
                    super.readEach(function, List.of(first), List.of(requests.get(at)), patience);
            happened = true;
            event.run();
            var answers = new ArrayList<>(super.readEach(function, partitions, requests, patience));
            answers.set(at, early.getFirst());
            return answers;
        }
    }

    /** Counts what is read of logs. */
    private static final class Counted extends PassedOnWire {
        int partitions;
        long largest;
        long sum;

        Counted(Wire wire) {
            super(wire);
        }

        @Override
        public List<Answer<byte[]>> readEach(
                String function, List<Partition> some, List<byte[]> requests, Duration patience) {
            var answers = super.readEach(function, some, requests, patience);
            partitions += some.size();
            answers.forEach(
                    answer -> {
                        sum += answer.orThrow().length;
                        largest = Math.max(largest, answer.orThrow().length);
                    });
            return answers;
        }
    }
}
