package io.flowfabric.faults;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.testkit.fault.HookedStore;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loses the answer to every call, once: the store has done it, and the caller hears of a failure.
 * The answer to its repetition gets through.
 */
final class LostAnswers implements HookedStore.Hook {
    /**
     * The code that starts an engine wants to hear that it does not work, and repeats it itself.
     */
    private static final Set<String> SPARED =
            Set.of("listen", "listenForLosses", "listenForStreams");

    private final Set<Object> lost = ConcurrentHashMap.newKeySet();
    private final Set<String> kinds = ConcurrentHashMap.newKeySet();

    /** The names of the calls whose answers were lost so far. */
    Set<String> kinds() {
        return Set.copyOf(kinds);
    }

    @Override
    public Object around(String name, HookedStore.Call call) throws Exception {
        var answer = call.call();
        if (SPARED.contains(name)) {
            return answer;
        }
        var known = List.of(name, content(call.argument()));
        if (lost.add(known)) {
            kinds.add(name);
            throw new StoreFailure(
                    "The answer is lost.", true, new IllegalStateException("by a test"));
        }
        lost.remove(known);
        return answer;
    }

    /** What makes a call the repetition of another one. A heartbeat tells what is so by then. */
    private static Object content(Object argument) {
        return argument instanceof List<?> items
                        && !items.isEmpty()
                        && items.getFirst() instanceof Heartbeat beat
                ? beat.session()
                : argument;
    }
}
