package io.flowfabric.bench;

import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.server.RedisServer;

import java.sql.SQLException;

/** One contender on Valkey, draining a backlog that was stored before the clock starts. */
record ValkeyTrial(RedisServer server, Contender contender) implements Trial {

    @Override
    public String key() {
        return contender.key();
    }

    @Override
    public String name() {
        return contender.name();
    }

    @Override
    public Run run(int executions) throws SQLException, InterruptedException {
        contender.clear();
        contender.submit(executions);
        server.settle();
        var before = server.usage();
        var time = contender.drain();
        var used = server.usage().since(before);
        contender.verify();
        contender.clear();
        return new Run(executions, time, used.named());
    }
}
