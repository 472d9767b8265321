package io.flowfabric.core.codec;

import java.util.Locale;

/** Constants as they travel: {@code OPERATOR_HOLD} is {@code operator_hold}. */
final class Words {
    private Words() {}

    static Json of(Enum<?> constant) {
        return Json.of(constant.name().toLowerCase(Locale.ROOT));
    }

    /**
     * Reads a constant.
     *
     * @throws IllegalArgumentException when this program has no such constant
     */
    static <E extends Enum<E>> E read(Class<E> type, Json word) {
        return Enum.valueOf(type, word.asString().toUpperCase(Locale.ROOT));
    }
}
