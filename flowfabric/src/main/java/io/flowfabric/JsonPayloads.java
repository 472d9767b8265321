package io.flowfabric;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Values as JSON. */
final class JsonPayloads implements PayloadCodec {
    static final PayloadCodec DEFAULT = new JsonPayloads();

    private static final String JSON = "application/json";

    /** A process that is older than the one that wrote must be able to read on. */
    private final JsonMapper mapper =
            JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    @Override
    public Payload encode(@Nullable Object value) {
        if (value instanceof Payload payload) {
            return payload;
        }
        try {
            return Payload.of(mapper.writeValueAsBytes(value), JSON);
        } catch (JacksonException e) {
            throw invalid(
                    "A value of %s cannot be written as JSON: %s"
                            .formatted(
                                    value == null ? "null" : value.getClass().getName(),
                                    e.getOriginalMessage()),
                    e);
        }
    }

    @Override
    public <T> @Nullable T decode(Payload payload, Class<T> type) {
        if (type == Payload.class) {
            return type.cast(payload);
        }
        // Nothing was submitted, or the handler returned nothing.
        if (payload.size() == 0) {
            return null;
        }
        if (type == String.class && payload.contentType().startsWith("text/plain")) {
            return type.cast(payload.asText());
        }
        try {
            return mapper.readValue(payload.bytes(), type);
        } catch (JacksonException e) {
            throw invalid(
                    "%d bytes of %s do not say a %s: %s"
                            .formatted(
                                    payload.size(),
                                    payload.contentType(),
                                    type.getName(),
                                    e.getOriginalMessage()),
                    e);
        }
    }

    private static Invalid invalid(String explanation, JacksonException cause) {
        var invalid = new Invalid(Invalid.Code.MALFORMED_PAYLOAD, "payload", explanation);
        invalid.initCause(cause);
        return invalid;
    }
}
