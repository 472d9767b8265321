package io.flowfabric.bench.peer;

import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.contender.DbScheduler;
import io.flowfabric.bench.contender.DbosQueue;
import io.flowfabric.bench.contender.JobRunrServer;
import io.flowfabric.bench.contender.Ourselves;
import io.flowfabric.bench.contender.QuartzCluster;
import io.flowfabric.bench.server.Login;

import java.sql.SQLException;
import java.util.Locale;

/** Those who are compared: the product, and what teams would use instead. */
public enum Peer {
    FLOWFABRIC("FlowFabric", 1, (login, workers) -> Ourselves.open(login, workers, "flowfabric")),
    DBSCHEDULER("db-scheduler", 1, DbScheduler::new),
    JOBRUNR("JobRunr", 5, JobRunrServer::new),
    QUARTZ("Quartz", 20, QuartzCluster::new),
    DBOS("DBOS", 20, DbosQueue::new);

    private final String title;
    private final int divisor;
    private final Maker maker;

    /** Makes a contender that reaches the server. */
    private interface Maker {
        Contender make(Login login, int workers) throws SQLException;
    }

    Peer(String title, int divisor, Maker maker) {
        this.title = title;
        this.divisor = divisor;
        this.maker = maker;
    }

    /** What the ratios call it. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What people call it. */
    public String title() {
        return title;
    }

    /**
     * How many executions it does where the product does so many: a system that is slower by orders
     * of magnitude gets a smaller backlog, so that a run ends the same day.
     */
    public int share(int executions) {
        return Math.max(1, executions / divisor);
    }

    Contender open(Login login, int workers) throws SQLException {
        return maker.make(login, workers);
    }
}
