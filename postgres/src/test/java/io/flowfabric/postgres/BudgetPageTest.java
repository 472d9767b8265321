package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class BudgetPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/postgres/BudgetExample.java");

        assertThat(PageExample.shown(Path.of("../docs/budgets.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_code_on_the_page_runs_and_reads_as_the_page_says() throws Exception {
        try (var shop = new Shop()) {
            var example = new BudgetExample(shop.store());
            example.define();
            var first = example.summarise("a long text");
            var lease = claim(shop);
            assertThat(lease.fence().execution()).isEqualTo(first);
            assertThat(tokens(shop, "acme")).isEqualTo(new Level(0, 2_000));

            example.report(lease.fence(), "draft", 500);
            assertThat(tokens(shop, "team-a")).isEqualTo(new Level(500, 1_500));
            assertThat(example.look())
                    .isEqualTo(
                            "budget team-a: cents 0 of 20,000 used, tokens 500 of 1,000,000 used");

            assertThat(example.report(lease.fence(), "rest", 999_500).breached()).isTrue();
            assertThat(example.look()).isEqualTo("budget team-a: tokens 1,000,000 of 1,000,000");
            var second = example.summarise("another text");
            shop.claim(Lane.DEFAULT);
            var view = shop.store().queries().describe(List.of(second)).getFirst().orThrow();
            assertThat(view.state().publicState()).isEqualTo(PublicState.RATE_LIMITED);
            assertThat(explained(shop, second))
                    .startsWith("budget team-a: tokens 1,000,000 of 1,000,000, resets at ");
            assertThat(page()).contains("budget team-a: tokens 1,000,000 of 1,000,000, resets at ");

            assertThat(example.spentAndGivenBack(first, "rest")).isEqualTo(500);
            assertThat(tokens(shop, "acme")).isEqualTo(new Level(500, 0));
            assertThat(shop.claim(Lane.DEFAULT)).containsExactly(second);
        }
    }

    private static Lease claim(Shop shop) {
        var session = Session.of("worker", "one", Lane.DEFAULT.name());
        shop.store().sessions().open(session);
        return shop.store().claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
    }

    private static Level tokens(Shop shop, String budget) {
        return shop.store()
                .budgets()
                .describe(Namespace.DEFAULT, budget)
                .levels()
                .getOrDefault("tokens", Level.ZERO);
    }

    private static String explained(Shop shop, ExecutionId id) {
        return shop.store().queries().explain(id).words();
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/budgets.md"));
    }
}
