package io.flowfabric.cli.dev;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How to look at the data: a command to connect with, and questions that can be pasted there. */
final class Directions {
    private final String run;
    private final Optional<ExecutionId> example;

    /**
     * @param example an execution whose history is worth reading
     */
    Directions(String run, Optional<ExecutionId> example) {
        this.run = run;
        this.example = example;
    }

    List<String> lines(EmbeddedPostgres server, Path home) {
        var lines = new ArrayList<String>();
        lines.add("The data is yours to look at:");
        lines.add("");
        lines.add("  " + psql(server, home));
        lines.add("");
        lines.add("There, for example:");
        for (var question : questions()) {
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
    static String psql(EmbeddedPostgres server, Path home) {
        return "PGPASSWORD=$(cat %s) psql -h 127.0.0.1 -p %d -U %s postgres"
                .formatted(quoted(home.resolve("password")), server.port(), server.user());
    }

    /** What is worth asking, as SQL. */
    List<String> questions() {
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

    private static String quoted(Path path) {
        var text = path.toString();
        return text.matches("[A-Za-z0-9_./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
