package io.flowfabric.valkey.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.List;
import java.util.Optional;

/** The names that there are of something, in their order. */
final class NameListing {
    private NameListing() {}

    /** The quotas or the budgets of a namespace, by their letter. */
    static List<String> of(
            ValkeyContext valkey, char letter, Namespace namespace, String after, int max) {
        return names(valkey, valkey.home(namespace), letter + whole(namespace, ""), after, max);
    }

    /** All namespaces. */
    static List<Namespace> namespaces(ValkeyContext valkey, String after, int max) {
        return names(valkey, valkey.home(Namespace.DEFAULT), "n", after, max).stream()
                .map(Namespace::new)
                .toList();
    }

    static List<String> names(
            ValkeyContext valkey, Partition home, String prefix, String after, int max) {
        return valkey.read(
                        "range",
                        home,
                        out ->
                                out.list(1)
                                        .list(4)
                                        .text("listing")
                                        .text(prefix)
                                        .text(prefix + after)
                                        .number(max))
                .answer()
                .at(0)
                .list(member -> name(member.bytes(), prefix));
    }

    private static String name(byte[] member, String prefix) {
        int begin = prefix.getBytes(UTF_8).length;
        return new String(member, begin, member.length - begin, UTF_8);
    }

    /** What a name in a namespace is known by. */
    static String whole(Namespace namespace, String name) {
        return namespace.name() + "\0" + name;
    }

    /** The values of fields, in their order. */
    static List<Optional<byte[]>> values(
            ValkeyContext valkey, Partition home, String hash, List<String> fields) {
        return valkey.read(
                        "read",
                        home,
                        out -> out.list(1).list(2).text(hash).list(fields, Packer::text))
                .answer()
                .at(0)
                .list(value -> value.optional(Item::bytes));
    }
}
