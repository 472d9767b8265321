package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.valkey.ValkeyStore;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** Work in the product's store on Valkey, spread evenly over some namespaces. */
final class ValkeyBacklog implements AutoCloseable {
    /** What the product sends in one call unless told otherwise. */
    private static final int CHUNK = 1000;

    private static final int PAGE = 1000;

    private final RedisServer server;
    private final List<Namespace> namespaces;
    private final int partitions;
    private ValkeyStore store;
    private Cursor marked = Cursor.START;
    private int stored;
    private int sinceMark;

    ValkeyBacklog(RedisServer server, List<Namespace> namespaces) {
        this(server, namespaces, 1);
    }

    /**
     * @param partitions over how many each of the namespaces is spread
     */
    ValkeyBacklog(RedisServer server, List<Namespace> namespaces, int partitions) {
        this.server = server;
        this.namespaces = List.copyOf(namespaces);
        this.partitions = partitions;
        this.store = open();
    }

    private ValkeyStore open() {
        var opened = ValkeyStore.open(server.options());
        namespaces.forEach(namespace -> opened.spread(namespace, partitions));
        return opened;
    }

    ValkeyStore store() {
        return store;
    }

    List<Namespace> namespaces() {
        return namespaces;
    }

    /** How many executions were stored since it was cleared. */
    int stored() {
        return stored;
    }

    /**
     * Submits in chunks, each for one namespace, the next one made when the one before is stored.
     */
    void submit(Submissions submissions, int executions) {
        for (int n = 0; n < namespaces.size(); n++) {
            submit(submissions, share(executions, n), namespaces.get(n));
        }
        stored += executions;
        sinceMark += executions;
    }

    /** What of so many executions is for one of the namespaces. */
    private int share(int executions, int n) {
        int even = executions / namespaces.size();
        return n == 0 ? executions - even * (namespaces.size() - 1) : even;
    }

    private static void submit(Submissions submissions, int executions, Namespace namespace) {
        var lane = new Lane(namespace, Lane.DEFAULT.name());
        for (int left = executions; left > 0; left -= CHUNK) {
            var work = new ArrayList<Submission>();
            for (int i = 0; i < Math.min(left, CHUNK); i++) {
                work.add(Submission.of(StoreSchema.KIND, Payload.EMPTY).lane(lane));
            }
            submissions.submit(work).forEach(Answer::orThrow);
        }
    }

    /** How many executions are ready to be claimed. */
    int ready() {
        return count(PublicState.WAITING);
    }

    private int count(PublicState state) {
        return namespaces.stream()
                .flatMap(namespace -> store.queries().counts(namespace).values().stream())
                .mapToInt(lane -> lane.getOrDefault(state, 0L).intValue())
                .sum();
    }

    /**
     * Forgets everything on the server. What a store remembers of it would be wrong, so there is
     * another one afterwards.
     */
    void clear() {
        store.close();
        server.clear();
        store = open();
        marked = Cursor.START;
        stored = 0;
        sinceMark = 0;
    }

    /** Lets only what is submitted from now on be checked step by step. */
    void mark() {
        marked = store.feeds().read(FeedFilter.of(Topic.EVERYTHING), Cursor.NOW, 1).next();
        sinceMark = 0;
    }

    /** Every execution is completed; those since the mark were claimed once and completed once. */
    void verify() {
        expect("completed executions", stored, count(PublicState.COMPLETED));
        expect("waiting executions", 0, ready());
        int claims = 0;
        int completions = 0;
        var completed = new HashSet<ExecutionId>();
        var filter = FeedFilter.of(Topic.EVERYTHING);
        for (var page = store.feeds().read(filter, marked, PAGE); ; ) {
            for (var entry : page.entries()) {
                if (entry.event() instanceof Event.Step step) {
                    if (step.transition() == Transition.CLAIM) {
                        claims++;
                    } else if (step.transition() == Transition.COMPLETE) {
                        completions++;
                        completed.add(step.execution());
                    }
                }
            }
            if (!page.more()) {
                break;
            }
            page = store.feeds().read(filter, page.next(), PAGE);
        }
        expect("claims", sinceMark, claims);
        expect("completions", sinceMark, completions);
        expect("executions that completed", sinceMark, completed.size());
    }

    private static void expect(String what, int wanted, int found) {
        if (wanted != found) {
            throw new IllegalStateException(
                    "On Valkey, %s should be %,d and are %,d.".formatted(what, wanted, found));
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
