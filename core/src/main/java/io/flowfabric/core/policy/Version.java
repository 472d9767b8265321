package io.flowfabric.core.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A version of something, in an order: {@code 2.3 < 2.3.1-rc2 < 2.3.1-rc10 < 2.3.1 < 2.10}.
 *
 * <p>It is written as numbers between dots, then perhaps a suffix of letters and digits, then
 * perhaps a build after a plus sign. All of this is ASCII.
 *
 * <ul>
 *   <li>Numbers are compared as numbers, of any length. One that is missing is zero.
 *   <li>With a suffix it comes before the same numbers without one, as a preview does.
 *   <li>Suffixes are compared piece by piece, where a piece is a run of digits or of letters:
 *       digits as numbers, letters by their codes, digits before letters, and the shorter one
 *       first. Dots and hyphens only part the pieces.
 *   <li>The build says nothing about the order.
 * </ul>
 *
 * <p>What is written differently and has the same place in the order is the same version.
 *
 * @param numbers without zeros in front of each, and without zeros at the end
 * @param suffix its pieces, or none
 */
record Version(List<String> numbers, List<String> suffix) implements Comparable<Version> {
    private static final String ZERO = "";

    // A number has no zeros in front, so the longer one is the larger one.
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    Version {
        numbers = List.copyOf(numbers);
        suffix = List.copyOf(suffix);
    }

    /** Reads a version; empty when the text is none. */
    static Optional<Version> parse(String text) {
        int plus = text.indexOf('+');
        var told = plus < 0 ? text : text.substring(0, plus);
        if (plus >= 0 && !isJoined(text.substring(plus + 1))) {
            return Optional.empty();
        }
        int end = 0;
        while (end < told.length() && (isDigit(told.charAt(end)) || told.charAt(end) == '.')) {
            end++;
        }
        var numbers = told.substring(0, end);
        var suffix = told.substring(end);
        if (suffix.startsWith("-")) {
            suffix = suffix.substring(1);
        } else if (suffix.isEmpty()) {
            return isJoined(numbers)
                    ? Optional.of(new Version(numbers(numbers), List.of()))
                    : Optional.empty();
        }
        return isJoined(numbers) && isJoined(suffix)
                ? Optional.of(new Version(numbers(numbers), pieces(suffix)))
                : Optional.empty();
    }

    private static List<String> numbers(String text) {
        var numbers = new ArrayList<String>();
        for (String number : text.split("\\.", -1)) {
            numbers.add(withoutZeros(number));
        }
        while (!numbers.isEmpty() && numbers.getLast().equals(ZERO)) {
            numbers.removeLast();
        }
        return numbers;
    }

    private static List<String> pieces(String suffix) {
        var pieces = new ArrayList<String>();
        for (int start = 0, end; start < suffix.length(); start = end) {
            end = start + 1;
            if (!isLetterOrDigit(suffix.charAt(start))) {
                continue;
            }
            boolean digits = isDigit(suffix.charAt(start));
            while (end < suffix.length()
                    && isLetterOrDigit(suffix.charAt(end))
                    && isDigit(suffix.charAt(end)) == digits) {
                end++;
            }
            var piece = suffix.substring(start, end);
            pieces.add(digits ? withoutZeros(piece) : piece);
        }
        return pieces;
    }

    private static String withoutZeros(String digits) {
        int start = 0;
        while (start < digits.length() && digits.charAt(start) == '0') {
            start++;
        }
        return digits.substring(start);
    }

    @Override
    public int compareTo(Version other) {
        int byNumbers = compareNumbers(other);
        if (byNumbers != 0) {
            return byNumbers;
        }
        return suffix.isEmpty() || other.suffix.isEmpty()
                ? Boolean.compare(suffix.isEmpty(), other.suffix.isEmpty())
                : compareSuffix(other);
    }

    private int compareNumbers(Version other) {
        for (int i = 0; i < Math.max(numbers.size(), other.numbers.size()); i++) {
            int order = BY_NUMBER.compare(number(i), other.number(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private String number(int index) {
        return index < numbers.size() ? numbers.get(index) : ZERO;
    }

    private int compareSuffix(Version other) {
        for (int i = 0; i < Math.min(suffix.size(), other.suffix.size()); i++) {
            int order = comparePieces(suffix.get(i), other.suffix.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(suffix.size(), other.suffix.size());
    }

    private static int comparePieces(String one, String two) {
        boolean digits = isNumber(one);
        if (digits != isNumber(two)) {
            return digits ? -1 : 1;
        }
        return digits ? BY_NUMBER.compare(one, two) : one.compareTo(two);
    }

    private static boolean isNumber(String piece) {
        return piece.equals(ZERO) || isDigit(piece.charAt(0));
    }

    /** Letters and digits, perhaps parted by single dots and hyphens. */
    private static boolean isJoined(String text) {
        boolean joint = true;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean next = c == '.' || c == '-';
            if (next ? joint : !isLetterOrDigit(c)) {
                return false;
            }
            joint = next;
        }
        return !joint;
    }

    private static boolean isLetterOrDigit(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
