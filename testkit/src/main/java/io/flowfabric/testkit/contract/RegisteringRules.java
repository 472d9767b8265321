package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.asked;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.OpenedSession;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.WorkerView;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Supplier;

/** How a worker registers: who it is must be plain. */
abstract class RegisteringRules extends Rules {
    private static final Session MAILER = Session.of("mailer", "host-1", "default");

    RegisteringRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void registering_says_whether_the_session_is_new() {
        assertThat(open(MAILER)).isDone(new OpenedSession(world.in(MAILER.ttl()), true));

        world.advance(MAILER.ttl().dividedBy(2));

        assertThat(open(MAILER)).isDone(new OpenedSession(world.in(MAILER.ttl()), false));
        assertThat(listed()).containsExactly(MAILER.id());
    }

    @Test
    void an_instance_has_the_name_of_one_worker() {
        open(MAILER).orThrow();

        var answer = open(Session.of("printer", "host-1", "default"));

        assertThat(answer).isConflict(Conflict.Code.INSTANCE_TAKEN);
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused ->
                                assertThat(((Conflict) refused.error()).existing())
                                        .isEqualTo(MAILER.id().toString()));
        assertThat(listed()).containsExactly(MAILER.id());
    }

    @Test
    void a_session_that_was_refused_can_be_opened_under_the_right_name() {
        open(MAILER).orThrow();
        var refused = Session.of("printer", "host-1", "default");
        assertThat(open(refused)).isConflict(Conflict.Code.INSTANCE_TAKEN);

        var right = Session.of("mailer", "host-1", "default").id(refused.id());

        assertThat(open(right).orThrow().registered()).isTrue();
    }

    @Test
    void a_process_may_have_several_sessions_of_one_name() {
        open(MAILER).orThrow();

        assertThat(open(MAILER.id(SessionId.mint())).orThrow().registered()).isTrue();
    }

    @Test
    void what_a_tenant_calls_its_instances_is_its_own_business() {
        open(MAILER).orThrow();
        var elsewhere = Session.of("printer", "host-1", "default").namespace(Scenario.ELSEWHERE);

        assertThat(open(elsewhere).orThrow().registered()).isTrue();
    }

    @Test
    void the_name_of_an_instance_is_free_when_its_worker_has_died() {
        open(MAILER).orThrow();
        world.advance(MAILER.ttl());
        var printer = Session.of("printer", "host-1", "default");

        assertThat(open(printer).orThrow().registered()).isTrue();

        world.store().sessions().close(printer.id());
        assertThat(open(MAILER.id(SessionId.mint())).orThrow().registered()).isTrue();
    }

    @Test
    void of_many_names_for_one_instance_the_first_one_counts() {
        for (int round = 0; round < 10; round++) {
            var instance = "host-" + round;
            var answers = Crowd.of(8, i -> open(Session.of("worker-" + i, instance, "default")));

            assertThat(answers.stream().filter(Answer::isDone)).hasSize(1);
            assertThat(answers.stream().filter(answer -> !answer.isDone()))
                    .allSatisfy(
                            answer -> assertThat(answer).isConflict(Conflict.Code.INSTANCE_TAKEN));
        }
        assertThat(listed()).hasSize(10);
    }

    @Test
    void of_many_openings_of_one_session_one_registers_it() {
        for (int round = 0; round < 10; round++) {
            var session = world.session(Lane.DEFAULT);
            var answers = Crowd.of(8, i -> open(session).orThrow());

            assertThat(answers.stream().filter(OpenedSession::registered)).hasSize(1);
        }
    }

    private Answer<OpenedSession> open(Session session) {
        return asked(() -> world.store().sessions().open(session));
    }

    private List<SessionId> listed() {
        return world
                .store()
                .workers()
                .list(Namespace.DEFAULT, Scope.ALL, Cursor.START, 100)
                .items()
                .stream()
                .map(WorkerView::session)
                .map(Session::id)
                .toList();
    }
}
