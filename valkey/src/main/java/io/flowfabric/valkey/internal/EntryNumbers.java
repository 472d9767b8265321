package io.flowfabric.valkey.internal;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Numbers of entries of the log, one behind the other, as functions write them. */
final class EntryNumbers {
    /** How long a number is. */
    static final int BYTES = 6;

    private EntryNumbers() {}

    /** The number at a place. */
    static long at(byte[] numbers, int place) {
        long number = 0;
        for (int i = place; i < place + BYTES; i++) {
            number = number << Byte.SIZE | (numbers[i] & 0xFF);
        }
        return number;
    }

    /** The same numbers in portions of at most so many. */
    static List<byte[]> portions(byte[] numbers, int most) {
        int size = most * BYTES;
        return IntStream.range(0, (numbers.length + size - 1) / size)
                .mapToObj(
                        n ->
                                Arrays.copyOfRange(
                                        numbers,
                                        n * size,
                                        Math.min(numbers.length, (n + 1) * size)))
                .toList();
    }
}
