package io.flowfabric.cli.dev;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Postgres, and SQL for those who want to look for themselves. */
final class DevPostgres implements DevServer {
    private final EmbeddedPostgres server;

    DevPostgres(Path home) {
        this.server = EmbeddedPostgres.start(home);
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public StoreLogin login() {
        return new StoreLogin(server.url(), server.user(), server.password());
    }

    @Override
    public List<String> directions(Path home, String run, Optional<ExecutionId> example) {
        var lines = new ArrayList<String>();
        lines.add("The data is yours to look at:");
        lines.add("");
        lines.add("  " + psql(home));
        lines.add("");
        lines.add("There, for example:");
        for (var question : questions(run, example)) {
            lines.add("");
            question.lines().map(line -> "  " + line).forEach(lines::add);
        }
        lines.add("");
        lines.add("Without psql, any client for Postgres will do:");
        lines.add("  " + server.url());
        lines.add(
                "  user %s, and the password in %s"
                        .formatted(server.user(), home.resolve("password")));
        return lines;
    }

    /** Connects without asking for the password, and without showing it. */
    private String psql(Path home) {
        return "PGPASSWORD=$(cat %s) psql -h 127.0.0.1 -p %d -U %s postgres"
                .formatted(ShellWord.of(home.resolve("password")), server.port(), server.user());
    }

    /** What is worth asking, as SQL. */
    static List<String> questions(String run, Optional<ExecutionId> example) {
        var questions = new ArrayList<String>();
        questions.add(
                """
                -- what became of this run
                select e.situation, count(*), sum(e.attempts) as attempts, sum(e.reclaims) as take_overs
                from flowfabric.execution e
                where e.tags @> '{run=%s}' group by 1 order by 2 desc;\
                """
                        .formatted(run));
        questions.add(
                """
                -- the last failure of each, also where a retry succeeded
                select e.failure_category, e.failure_message, count(*)
                from flowfabric.execution e
                where e.failure_category is not null and e.tags @> '{run=%s}' group by 1, 2 order by 3 desc limit 10;\
                """
                        .formatted(run));
        example.ifPresent(
                id ->
                        questions.add(
                                """
                                -- the life of one execution that was taken over
                                select to_timestamp(v.at / 1000.0)::time(3) as at, v.transition, v.situation, v.epoch, w.worker, v.reason
                                from flowfabric.event v left join flowfabric.session w on w.id = v.session
                                where v.execution = '%s' order by v.id;\
                                """
                                        .formatted(id.uuid())));
        return questions;
    }

    @Override
    public void close() {
        server.close();
    }
}
