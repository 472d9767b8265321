package io.flowfabric.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Says that a request is refused, and as what. */
public final class Refusals {
    private Refusals() {}

    /** Asserts that the call is refused with this code for this field, in a whole sentence. */
    public static void assertRefused(Invalid.Code code, String field, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Invalid.class,
                        refusal -> {
                            assertThat(refusal.code()).as("code of %s", refusal).isEqualTo(code);
                            assertThat(refusal.field()).isEqualTo(field);
                            assertThat(refusal)
                                    .hasMessageStartingWith(field + ": ")
                                    .hasMessageEndingWith(".");
                        });
    }
}
