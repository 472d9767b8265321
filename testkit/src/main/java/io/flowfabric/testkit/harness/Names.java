package io.flowfabric.testkit.harness;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Short names for ids, so that what a run did can be read. */
final class Names {
    private final Map<String, String> names = new ConcurrentHashMap<>();
    private final AtomicInteger executions = new AtomicInteger();

    /** Names an execution, and the same under the wrong partition. */
    void name(ExecutionId id) {
        var name = names.computeIfAbsent(id.toString(), text -> "#" + executions.incrementAndGet());
        names.putIfAbsent(Identity.elsewhere(id).toString(), name + " elsewhere");
    }

    void name(ExecutionId id, String name) {
        names.putIfAbsent(id.toString(), name);
    }

    void name(SessionId id, String name) {
        names.putIfAbsent(id.toString(), name);
    }

    /** The text with names in the place of ids. */
    String in(String text) {
        String named = text;
        for (Map.Entry<String, String> entry : names.entrySet()) {
            named = named.replace(entry.getKey(), entry.getValue());
        }
        return named;
    }
}
