package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of work that is submitted by numbers which a restored database gives out again. */
class NumbersGivenAgainTest {
    private final PostgresFixture fixture = new PostgresFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void work_does_not_go_to_a_lane_that_has_the_number_of_its_own_since_a_restore() {
        var store = fixture.store();
        store.submit(to("mine"));
        int number = numberOf("mine");
        // As after a restore, of which the process has not heard yet: the lane was never made.
        fixture.execute(
                ("truncate %1$s.lane, %1$s.lane_gate, %1$s.execution, %1$s.ready restart identity"
                                + " cascade")
                        .formatted(fixture.schema()));
        fixture.another().submit(to("other"));
        assertThat(numberOf("other")).isEqualTo(number);

        var work = to("mine");
        store.submit(work);

        assertThat(
                        fixture.text(
                                ("select l.name from %1$s.execution e join %1$s.lane l on l.id ="
                                                + " e.lane where e.id = '%2$s'")
                                        .formatted(fixture.schema(), work.id().uuid())))
                .isEqualTo("mine");
    }

    private static Submission to(String lane) {
        return Submission.of("work", Payload.EMPTY).lane(Lane.of(lane));
    }

    private int numberOf(String lane) {
        return (int)
                fixture.number(
                        "select id from %s.lane where name = '%s'"
                                .formatted(fixture.schema(), lane));
    }
}
