package io.flowfabric.core;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AttributionTest {

    @Test
    void everyone_but_the_engine_is_an_operator() {
        assertThat(new Attribution("ada", "because").isOperator()).isTrue();
        assertThat(Attribution.engine("deadline").isOperator()).isFalse();
        assertThat(Attribution.engine("deadline")).isEqualTo(new Attribution("engine", "deadline"));
    }

    @Test
    void an_operator_does_not_sign_as_the_engine() {
        new Attribution("ada", "because").mustBeOperator();
        new Attribution("Engine", "because").mustBeOperator();
        assertRefused(
                Invalid.Code.RESERVED,
                "actor",
                () -> new Attribution("engine", "because").mustBeOperator());
    }

    @Test
    void an_actor_is_a_name() {
        assertThat(new Attribution(longest(Limit.NAME_BYTES), "because").actor()).hasSize(256);
        assertRefused(Invalid.Code.EMPTY, "actor", () -> new Attribution("", "because"));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "actor",
                () -> new Attribution(tooLong(Limit.NAME_BYTES), "because"));
    }

    @Test
    void a_reason_is_never_left_out() {
        assertThat(new Attribution("ada", longest(Limit.MESSAGE_BYTES)).reason()).hasSize(4096);
        assertRefused(Invalid.Code.EMPTY, "reason", () -> new Attribution("ada", ""));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "reason",
                () -> new Attribution("ada", tooLong(Limit.MESSAGE_BYTES)));
        assertRefused(
                Invalid.Code.NOT_PRINTABLE, "reason", () -> new Attribution("ada", "two\nlines"));
    }
}
