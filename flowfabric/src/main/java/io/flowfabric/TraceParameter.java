package io.flowfabric;

import io.flowfabric.core.Payload;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The context of a trace, as a parameter of the content type of an input: it travels with the work,
 * leaves the bytes as they are, and costs nothing where there is none.
 */
final class TraceParameter {
    private static final Pattern PARAMETER =
            Pattern.compile(
                    ";\\s*traceparent=\"?([0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})\"?");

    private TraceParameter() {}

    static Payload put(Payload input, String traceparent) {
        return Payload.of(input.bytes(), input.contentType() + "; traceparent=" + traceparent);
    }

    static Optional<String> of(Payload input) {
        var found = PARAMETER.matcher(input.contentType());
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }
}
