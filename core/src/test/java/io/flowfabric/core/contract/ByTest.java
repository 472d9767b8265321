package io.flowfabric.core.contract;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;

import org.junit.jupiter.api.Test;

class ByTest {

    @Test
    void everyone_but_the_engine_is_an_operator() {
        assertThat(new By("ada", "because").isOperator()).isTrue();
        assertThat(By.engine("deadline").isOperator()).isFalse();
        assertThat(By.engine("deadline")).isEqualTo(new By("engine", "deadline"));
    }

    @Test
    void an_actor_is_a_name() {
        assertThat(new By(longest(Limit.NAME_BYTES), "because").actor()).hasSize(256);
        assertRefused(Invalid.Code.EMPTY, "actor", () -> new By("", "because"));
        assertRefused(
                Invalid.Code.TOO_LONG, "actor", () -> new By(tooLong(Limit.NAME_BYTES), "because"));
    }

    @Test
    void a_reason_is_never_left_out() {
        assertThat(new By("ada", longest(Limit.MESSAGE_BYTES)).reason()).hasSize(4096);
        assertRefused(Invalid.Code.EMPTY, "reason", () -> new By("ada", ""));
        assertRefused(
                Invalid.Code.TOO_LONG, "reason", () -> new By("ada", tooLong(Limit.MESSAGE_BYTES)));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "reason", () -> new By("ada", "two\nlines"));
    }
}
