package io.flowfabric.core;

import java.util.Comparator;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The id of an execution: a UUID and the partition it lives in, written {@code {fp:N}:<uuid>}.
 *
 * <p>The UUID is the identity; the partition is the address. Ids that we mint are UUIDv7 whose last
 * byte is the partition, so for them the bare UUID is a whole id. They are minted for a namespace,
 * whose work lies together in one partition. Any other UUID is accepted together with any partition
 * in range.
 */
public record ExecutionId(Partition partition, UUID uuid) implements Comparable<ExecutionId> {
    private static final Pattern TAGGED =
            Pattern.compile("\\{fp:([0-9]{1,5})}:(.*)", Pattern.DOTALL);
    private static final Pattern UUID_TEXT =
            Pattern.compile(
                    "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    private static final Comparator<ExecutionId> BY_TEXT =
            Comparator.comparing((ExecutionId id) -> id.uuid.toString())
                    .thenComparingInt(id -> id.partition.number());

    /** A new id for work of the default namespace. */
    public static ExecutionId mint() {
        return mint(Namespace.DEFAULT);
    }

    /** A new id for work of a namespace, in the partition where all of its work lies. */
    public static ExecutionId mint(Namespace namespace) {
        return IdSource.SYSTEM.execution(Partition.of(namespace));
    }

    /** The id whose partition is the last byte of its UUID, as in every id that we mint. */
    public static ExecutionId of(UUID uuid) {
        return new ExecutionId(new Partition((int) (uuid.getLeastSignificantBits() & 0xFF)), uuid);
    }

    /**
     * The id that the same work has in another namespace. An id that was minted for the first
     * namespace keeps its time and its chance and changes its partition; an id that came from
     * elsewhere stays as it is.
     */
    public ExecutionId moved(Namespace from, Namespace to) {
        boolean minted = uuid.version() == 7 && equals(of(uuid));
        return minted && partition.equals(Partition.of(from))
                ? stamped(uuid, Partition.of(to))
                : this;
    }

    /** The id that a UUID becomes whose last byte is replaced by a partition. */
    static ExecutionId stamped(UUID uuid, Partition partition) {
        long least = (uuid.getLeastSignificantBits() & ~0xFFL) | partition.number();
        return new ExecutionId(partition, new UUID(uuid.getMostSignificantBits(), least));
    }

    /**
     * Reads {@code {fp:N}:<uuid>} or a bare UUID. Other spellings of the same id (capital letters,
     * leading zeros) become the one canonical id.
     *
     * @throws Invalid when it is anything else
     */
    public static ExecutionId parse(String text) {
        var tagged = TAGGED.matcher(text);
        if (!tagged.matches()) {
            return of(parseUuid("execution id", text));
        }
        int partition = Integer.parseInt(tagged.group(1));
        return new ExecutionId(
                new Partition(partition), parseUuid("execution id", tagged.group(2)));
    }

    /** Reads a UUID in its usual form, which {@link UUID#fromString} does not insist on. */
    static UUID parseUuid(String field, String text) {
        if (!UUID_TEXT.matcher(text).matches()) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_ID,
                    field,
                    "It must look like {fp:42}:550e8400-e29b-41d4-a716-446655440000 or be a bare"
                            + " UUID.");
        }
        return UUID.fromString(text);
    }

    @Override
    public int compareTo(ExecutionId other) {
        return BY_TEXT.compare(this, other);
    }

    @Override
    public String toString() {
        return partition + ":" + uuid;
    }
}
