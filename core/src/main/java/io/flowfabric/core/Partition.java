package io.flowfabric.core;

import java.nio.charset.StandardCharsets;

/**
 * The routing partition of an execution, 0 to 255: in a cluster all keys of one namespace live
 * where its partition lives, so that what is decided together lies together.
 *
 * <p>Written {@code {fp:N}}. The hash is CRC-16/XMODEM, the slot function of Valkey and Redis.
 */
public record Partition(int number) {
    /**
     * How many partitions there are. It is part of every id ever given out, so it never changes.
     */
    public static final int COUNT = 256;

    public Partition {
        if (number < 0 || number >= COUNT) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "partition",
                    "%d is outside of 0 to %d.".formatted(number, COUNT - 1));
        }
    }

    /** The partition of a namespace, by its name alone. */
    public static Partition of(Namespace namespace) {
        return new Partition(crc16(namespace.name().getBytes(StandardCharsets.UTF_8)) % COUNT);
    }

    /** CRC-16/XMODEM: polynomial 0x1021, initial value 0, nothing reflected, no final XOR. */
    public static int crc16(byte[] bytes) {
        int crc = 0;
        for (byte b : bytes) {
            crc ^= (b & 0xFF) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
            }
        }
        return crc & 0xFFFF;
    }

    @Override
    public String toString() {
        return "{fp:" + number + "}";
    }
}
