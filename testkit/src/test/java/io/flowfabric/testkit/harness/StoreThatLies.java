package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.memory.MemoryFixture;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A store in memory that does everything right, but is wrong about its fifth cancellation. */
final class StoreThatLies implements StoreFixture {
    static final int WRONG_CANCEL = 5;

    private final MemoryFixture honest = new MemoryFixture();
    private final Operations lying = new LyingOperations(honest.store().operations());

    @Override
    public Store store() {
        return (Store)
                Proxy.newProxyInstance(
                        Store.class.getClassLoader(),
                        new Class<?>[] {Store.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("operations")
                                        ? lying
                                        : method.invoke(honest.store(), arguments));
    }

    @Override
    public Instant now() {
        return honest.now();
    }

    @Override
    public void advance(Duration step) {
        honest.advance(step);
    }

    @Override
    public void poison(ExecutionId execution) {
        honest.poison(execution);
    }

    @Override
    public void heal(ExecutionId execution) {
        honest.heal(execution);
    }

    @Override
    public void close() {
        honest.close();
    }

    private static final class LyingOperations implements Operations {
        private final Operations honest;
        private int cancels;

        LyingOperations(Operations honest) {
            this.honest = honest;
        }

        @Override
        public List<Answer<ExecutionState>> act(List<OperatorCommand> acts, Attribution by) {
            var answers = new ArrayList<>(honest.act(acts, by));
            for (int i = 0; i < acts.size(); i++) {
                if (acts.get(i) instanceof OperatorCommand.Cancel
                        && answers.get(i).isDone()
                        && ++cancels == WRONG_CANCEL) {
                    answers.set(i, Answer.done(new ExecutionState.Ready(LeasePurpose.FIRST)));
                }
            }
            return answers;
        }

        @Override
        public Lease claim(ExecutionId execution, SessionId session, Attribution by) {
            return honest.claim(execution, session, by);
        }

        @Override
        public List<Answer<ExecutionId>> erase(List<ExecutionId> executions, Attribution by) {
            return honest.erase(executions, by);
        }
    }
}
