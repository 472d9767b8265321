package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Policies without what differs from one execution to the next, by their numbers. */
public final class SharedPolicies {
    private final Map<Policy, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<Integer, Policy> policies = new ConcurrentHashMap<>();

    /** Those that are there and well-formed, and say something that only newer programs know. */
    private final Set<Integer> ofNewerPrograms = ConcurrentHashMap.newKeySet();

    void forgetAll() {
        numbers.clear();
        policies.clear();
        ofNewerPrograms.clear();
    }

    /** The number of the shared part of a policy, which is made if there is none. */
    public int number(Jdbc db, Policy policy) {
        var shared = policy.shared();
        var known = numbers.get(shared);
        if (known != null) {
            return known;
        }
        var body = PolicyCodec.write(shared).toString();
        var found = db.query("policy_of").set("body", body).optional(row -> row.intValue("id"));
        if (found.isEmpty()) {
            db.query("add_policy")
                    .set("body", body)
                    .set(
                            "attempt_timeout",
                            policy.attemptTimeout().map(d -> d.toMillis()).orElse(null))
                    .set("stall_timeout", policy.stallTimeout().map(d -> d.toMillis()).orElse(null))
                    .set("retention", policy.retention().map(d -> d.toMillis()).orElse(null))
                    .update();
            return db.query("policy_of").set("body", body).one(row -> row.intValue("id"));
        }
        Remembered.trim(numbers.keySet());
        numbers.put(shared, found.get());
        return found.get();
    }

    /**
     * Looks up policies by number, without what differs between executions. What cannot be read is
     * left out.
     */
    public Map<Integer, Policy> byNumber(Jdbc db, Collection<Integer> wanted) {
        return Remembered.look(wanted, policies, missing -> read(db, missing));
    }

    private Map<Integer, Policy> read(Jdbc db, Set<Integer> missing) {
        var found = new HashMap<Integer, Policy>();
        db.query("policy").ints("ids", missing, number -> number).each(row -> read(row, found));
        return found;
    }

    /** Whether a policy that could not be read can be read by a newer program. */
    public boolean isOfNewerProgram(int number) {
        return ofNewerPrograms.contains(number);
    }

    /** Who needs what cannot be read finds that it is not there, and says which execution it is. */
    private void read(Row row, Map<Integer, Policy> found) {
        int number = row.intValue("id");
        JsonObject body;
        try {
            body = Json.parseObject(row.text("body"));
        } catch (RuntimeException damaged) {
            return;
        }
        try {
            found.put(number, PolicyCodec.read(body));
        } catch (RuntimeException unknown) {
            Remembered.trim(ofNewerPrograms);
            ofNewerPrograms.add(number);
        }
    }
}
