package io.flowfabric.postgres.internal.catalog;

/**
 * What is stored has a word that this program does not know: a newer one has written it, and can
 * read it.
 */
public final class UnknownWord extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    UnknownWord(Class<?> type, String word) {
        super("a newer program wrote the %s %s".formatted(type.getSimpleName(), word));
    }
}
