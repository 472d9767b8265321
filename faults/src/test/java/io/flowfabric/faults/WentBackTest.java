package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.PostgresStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;

/**
 * R16: a process that lives on while its database goes back to an earlier state: stopped, copied,
 * continued, stopped, and started from the copy. What it remembers, and holds, is of a time that
 * never was.
 */
class WentBackTest {
    private static final Duration TTL = Duration.ofMinutes(5);

    @TempDir Path folder;

    private CrashingServer server;
    private PostgresStore survivor;

    @BeforeEach
    void start() {
        server = new CrashingServer(folder.resolve("server"));
        survivor = PostgresStore.open(server.options());
    }

    @AfterEach
    void stop() {
        survivor.close();
        server.close();
    }

    @Test
    void a_fence_from_before_changes_nothing() throws IOException {
        var work = submit(survivor, "welcome", Policy.DEFAULT);
        var before = open(survivor, "before");
        var after = open(survivor, "after");
        copy();
        var lost = claim(survivor, before, 1);
        assertThat(lost.fence().execution()).isEqualTo(work.id());

        goBack();
        var found = claim(survivor, after, 1);
        assertThat(found.fence().execution()).isEqualTo(work.id());
        var ended = survivor.leases().end(List.of(complete(lost))).getFirst();

        assertThatThrownBy(ended::orThrow).isInstanceOf(LeaseLost.class);
        assertThat(survivor.leases().end(List.of(complete(found))).getFirst().isDone()).isTrue();
    }

    @Test
    void numbers_that_were_given_again_are_not_taken_for_what_they_were() throws IOException {
        submit(survivor, "welcome", Policy.DEFAULT);
        copy();
        var remembered = Policy.DEFAULT.attemptTimeout(Duration.ofHours(7));
        submit(survivor, "remembered", remembered);

        goBack();
        // Another process is given the numbers that the survivor knows for something else.
        try (var other = PostgresStore.open(server.options())) {
            submit(other, "other", Policy.DEFAULT.attemptTimeout(Duration.ofHours(3)));
            submit(survivor, "remembered", remembered);

            var views =
                    other.queries().search(Search.in(Namespace.DEFAULT), Cursor.START, 10).items();
            assertThat(views)
                    .extracting(view -> view.kind(), view -> view.policy().attemptTimeout())
                    .containsExactlyInAnyOrder(
                            tuple("welcome", Policy.DEFAULT.attemptTimeout()),
                            tuple("other", Optional.of(Duration.ofHours(3))),
                            tuple("remembered", Optional.of(Duration.ofHours(7))));
        }
    }

    @Test
    void what_was_told_before_is_told_as_it_was() throws IOException {
        var work = submit(survivor, "welcome", Policy.DEFAULT);
        var told = survivor.queries().history(work.id());
        copy();
        submit(survivor, "remembered", Policy.DEFAULT);

        goBack();

        // A connection that broke meanwhile is found out by the first who uses it, as above.
        submit(survivor, "later", Policy.DEFAULT);
        assertThat(survivor.queries().history(work.id())).isEqualTo(told);
    }

    private static Submission submit(Store store, String kind, Policy policy) {
        var work = Submission.of(kind, Payload.text(kind)).policy(policy);
        // A connection that broke meanwhile is found out by the first who uses it.
        Waiting.until(
                "it is submitted",
                () -> {
                    try {
                        return store.submissions().submit(List.of(work)).getFirst().isDone();
                    } catch (StoreFailure lost) {
                        return false;
                    }
                });
        return work;
    }

    private static Session open(Store store, String instance) {
        var session =
                new Session(
                        SessionId.mint(),
                        Namespace.DEFAULT,
                        "worker",
                        instance,
                        new TreeSet<>(List.of("default")),
                        new TreeSet<>(),
                        Capabilities.NONE,
                        TTL);
        store.sessions().open(session);
        return session;
    }

    private static Lease claim(Store store, Session session, int number) {
        var claim = new Claim(session.id(), number, 1);
        var leases = new AtomicReference<List<Lease>>(List.of());
        Waiting.until(
                "it is claimed",
                () -> {
                    try {
                        leases.set(store.claims().claim(claim).leases());
                    } catch (StoreFailure lost) {
                        return false;
                    }
                    return !leases.get().isEmpty();
                });
        return leases.get().getFirst();
    }

    private static Ending complete(Lease lease) {
        return new Ending.Complete(lease.fence(), Payload.text("done"));
    }

    private void copy() throws IOException {
        server.stop();
        copy(server.dataDirectory(), folder.resolve("copy"));
        server.restart();
    }

    private void goBack() throws IOException {
        server.stop();
        delete(server.dataDirectory());
        copy(folder.resolve("copy"), server.dataDirectory());
        server.restart();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (var file : (Iterable<Path>) files::iterator) {
                Files.copy(
                        file,
                        to.resolve(from.relativize(file).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES,
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
