package io.flowfabric.worker;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;

/** Makes what a handler has thrown the failure of its attempt. */
final class AttemptFailure {
    private AttemptFailure() {}

    /** The failure that is reported for something that was thrown. */
    static Failure of(Throwable thrown) {
        var name = thrown.getClass().getName();
        try {
            var trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace));
            var message = Objects.requireNonNullElse(thrown.getMessage(), name);
            return new Failure(category(thrown), message, trace.toString());
        } catch (RuntimeException | Error e) {
            // Exceptions are code of the user, and a failure must not fail to be reported.
            return Failure.of(Failure.TRANSIENT, name);
        }
    }

    private static String category(Throwable thrown) {
        return switch (thrown) {
            case TaskFailure failure -> failure.category();
            // A result that is refused, too large perhaps, will be refused again.
            case Invalid refusal -> Failure.PERMANENT;
            default -> Failure.TRANSIENT;
        };
    }
}
