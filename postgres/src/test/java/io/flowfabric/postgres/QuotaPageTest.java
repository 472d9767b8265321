package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class QuotaPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/postgres/QuotaExample.java");

        assertThat(PageExample.shown(Path.of("../docs/quotas.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_code_on_the_page_runs_and_reads_as_the_page_says() throws Exception {
        try (var shop = new Shop()) {
            var example = new QuotaExample(shop.store());
            example.define();
            var sixth = example.locate("42", "first");
            for (int i = 0; i < 5; i++) {
                sixth = example.locate("42", "another");
            }

            assertThat(example.look("42")).isEqualTo("open, 0 running");
            assertThat(shop.claim(Lane.DEFAULT)).hasSize(5).doesNotContain(sixth);

            assertThat(example.look("42")).isEqualTo("quota customer=42: 5 of 5 running");
            assertThat(example.look("43")).isEqualTo("open, 0 running");
            var state = view(shop, sixth).state();
            assertThat(state.publicState()).isEqualTo(PublicState.RATE_LIMITED);
            assertThat(((Blocked) state).detail()).isEqualTo("quota customer=42: 5 of 5 running");
            assertThat(Files.readString(Path.of("../docs/quotas.md")))
                    .contains("quota customer=42: 5 of 5 running");
        }
    }

    @Test
    void a_lane_that_is_bound_says_so_and_keeps_its_quota() throws Exception {
        try (var shop = new Shop()) {
            var example = new QuotaExample(shop.store());
            var ada = new Attribution("ada", "to begin with");
            example.define();
            shop.store().budgets().define(Budget.of("team", "tokens", 900), ada);
            example.boundTheLane();
            var lane = Lane.of("geocoding");
            var work = Submission.of("locate", Payload.EMPTY).lane(lane);
            shop.store().submissions().submit(List.of(work, work.id(ExecutionId.mint())));

            assertThat(shop.claim(lane)).containsExactly(work.id());
            assertThatExceptionOfType(Conflict.class)
                    .isThrownBy(() -> shop.store().quotas().delete(lane.namespace(), "gpu", ada))
                    .withMessageContaining("geocoding");
        }
    }

    private static ExecutionView view(Shop shop, ExecutionId id) {
        return shop.store().queries().describe(List.of(id)).getFirst().orThrow();
    }
}
