package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.valkey.internal.Steps.Step;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Where executions go that were given to a worker and cannot be read. The engine holds them back as
 * an operator would, with an event that says why.
 */
public final class UnreadableWork {
    /** What an execution says that was put aside. */
    private static final String REASON = "what is stored of it cannot be read by this version";

    private static final Logger log = LoggerFactory.getLogger(UnreadableWork.class);

    private final ValkeyContext valkey;

    public UnreadableWork(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * Puts aside, for an operator, what a session was just given. What cannot even be held stays
     * with the session, and is returned or counted as damaged when that dies.
     *
     * @param number under which it was given; 0 for what an operator gave
     * @return whether nothing is left of what was given under the number, so that it is free again
     */
    boolean putAside(Partition home, SessionId session, long number, List<UUID> executions) {
        log.error(
                "These executions cannot be read by this program, and are held for an operator: {}."
                        + " Resume or cancel them with a program that can read them, or mend what"
                        + " is stored of them.",
                executions);
        var told =
                valkey.read(
                        "read",
                        home,
                        out ->
                                out.list(1)
                                        .list(2)
                                        .text("execution")
                                        .list(executions, (o, id) -> o.uuid(id)));
        var pauses = new ArrayList<Step>();
        for (int n = 0; n < executions.size(); n++) {
            pause(executions.get(n), told.answer().at(0).at(n), session, told.now())
                    .ifPresent(pauses::add);
        }
        return valkey.call(
                        "put_aside",
                        home,
                        out ->
                                out.list(3)
                                        .uuid(session.uuid())
                                        .number(number)
                                        .list(pauses, Steps::write))
                .answer()
                .truth();
    }

    /** What holds an execution back that a session has; nothing when it cannot be held. */
    private static Optional<Step> pause(UUID uuid, Item stored, SessionId session, Instant now) {
        try {
            return Item.decoded(
                    () -> {
                        var row = ExecutionFields.read(uuid, stored.bytes());
                        if (!row.session().equals(Optional.of(session))) {
                            return Optional.empty();
                        }
                        // What it was submitted with does not matter to a pause.
                        var facts = row.facts(Policy.DEFAULT, Optional.empty());
                        var act = new OperatorCommand.Pause(row.id());
                        return OperatorDecisions.act(act, Attribution.engine(REASON), facts, now)
                                .map(change -> new Step(row, Optional.empty(), change));
                    });
        } catch (Item.Unreadable damaged) {
            log.warn("The execution {} cannot be held back either", uuid, damaged);
            return Optional.empty();
        }
    }
}
