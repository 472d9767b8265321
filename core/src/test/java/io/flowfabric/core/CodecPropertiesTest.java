package io.flowfabric.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.state.StateTable;
import io.flowfabric.core.state.StateVector;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

/**
 * Everything that is read from a text, against texts that nobody thought of. A failure names its
 * seed; {@code -Dflowfabric.seed=…} plays it again, or plays another game.
 */
class CodecPropertiesTest {
    private static final long SEED = Long.getLong("flowfabric.seed", 20_260_301);

    private static final int ROUND_TRIPS = 10_000;

    /** Six codecs of them make a million. */
    private static final int INPUTS = 166_667;

    private static final List<StateVector> LEGAL =
            StateTable.vectors().keySet().stream().map(StateVector::parse).toList();

    private static final String ALPHABET = "0123456789abcdefABCDEF-{}fp:/,_ \0\n\u00E9\uD83E\uDDAD";

    /**
     * A type with a written form.
     *
     * @param any draws a value
     * @param read reads the written form, which is {@code toString}
     */
    private record Codec<T>(
            String name, Function<SplittableRandom, T> any, Function<String, T> read) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Codec<?>> CODECS =
            List.of(
                    new Codec<>(
                            "execution id",
                            CodecPropertiesTest::anyExecutionId,
                            ExecutionId::parse),
                    new Codec<>("session id", CodecPropertiesTest::anySessionId, SessionId::parse),
                    new Codec<>("fence", CodecPropertiesTest::anyFence, Fence::parse),
                    new Codec<>("cursor", CodecPropertiesTest::anyCursor, Cursor::new),
                    new Codec<>(
                            "capabilities",
                            CodecPropertiesTest::anyCapabilities,
                            Capabilities::parse),
                    new Codec<>(
                            "state vector",
                            CodecPropertiesTest::anyStateVector,
                            StateVector::parse));

    @ParameterizedTest
    @FieldSource("CODECS")
    <T> void what_is_written_reads_as_what_it_was(Codec<T> codec) {
        var random = new SplittableRandom(SEED);
        for (int i = 0; i < ROUND_TRIPS; i++) {
            var value = codec.any().apply(random);
            if (!codec.read().apply(value.toString()).equals(value)) {
                assertThat(codec.read().apply(value.toString()))
                        .as("seed %d, round %d", SEED, i)
                        .isEqualTo(value);
            }
        }
    }

    @ParameterizedTest
    @FieldSource("CODECS")
    <T> void whatever_it_is_given_it_reads_or_refuses(Codec<T> codec) throws Exception {
        // A refusal costs what the stack is deep: under JUnit that is most of the time.
        var shallow = new FutureTask<>(() -> readOrRefused(codec));
        Thread.ofPlatform().start(shallow);

        assertThat(shallow.get())
                .as("how many of the inputs could be read")
                .isBetween(1, INPUTS - 1);
    }

    private static <T> int readOrRefused(Codec<T> codec) {
        var random = new SplittableRandom(SEED);
        int read = 0;
        for (int i = 0; i < INPUTS; i++) {
            var text = input(codec, random);
            T value;
            try {
                value = codec.read().apply(text);
            } catch (Invalid refusal) {
                continue;
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError(
                        "seed %d, round %d: %s reads %s".formatted(SEED, i, codec, quoted(text)),
                        e);
            }
            read++;
            var again = codec.read().apply(value.toString());
            if (!again.equals(value) || !again.toString().equals(value.toString())) {
                throw new AssertionError(
                        "seed %d, round %d: %s reads %s as %s, and that as %s"
                                .formatted(SEED, i, codec, quoted(text), value, again));
            }
        }
        return read;
    }

    private static <T> String input(Codec<T> codec, SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> anyUnicode(random);
            case 1 -> anyBase64(random);
            default -> mutated(codec.any().apply(random).toString(), random);
        };
    }

    /** Characters of every kind, among them halves of some. */
    private static String anyUnicode(SplittableRandom random) {
        var text = new StringBuilder();
        for (int n = random.nextInt(40); n > 0; n--) {
            switch (random.nextInt(4)) {
                case 0 -> text.append((char) random.nextInt(0x80));
                case 1 -> text.append((char) random.nextInt(0x10000));
                case 2 -> text.append((char) random.nextInt(0xD800, 0xE000));
                default -> text.appendCodePoint(random.nextInt(0x110000));
            }
        }
        return text.toString();
    }

    private static String anyBase64(SplittableRandom random) {
        var bytes = new byte[random.nextInt(30)];
        random.nextBytes(bytes);
        if (bytes.length > 1 && random.nextBoolean()) {
            bytes[0] = 1;
            bytes[1] = 'f';
        }
        var encoder = random.nextBoolean() ? Base64.getUrlEncoder() : Base64.getEncoder();
        return (random.nextBoolean() ? encoder : encoder.withoutPadding()).encodeToString(bytes);
    }

    /** A good text with a few characters cut, added, changed, moved or repeated. */
    private static String mutated(String good, SplittableRandom random) {
        var text = new StringBuilder(good);
        for (int n = random.nextInt(4); n > 0; n--) {
            int at = random.nextInt(text.length() + 1);
            int to = random.nextInt(at, text.length() + 1);
            switch (random.nextInt(5)) {
                case 0 -> text.delete(at, Math.min(at + 1, text.length()));
                case 1 -> text.insert(at, anyCharacter(random));
                case 2 -> text.replace(at, Math.min(at + 1, text.length()), anyCharacter(random));
                case 3 -> text.delete(at, to);
                default -> text.append(text, at, to);
            }
        }
        return text.toString();
    }

    private static String anyCharacter(SplittableRandom random) {
        return String.valueOf(
                random.nextInt(8) == 0
                        ? (char) random.nextInt(0x10000)
                        : ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }

    private static ExecutionId anyExecutionId(SplittableRandom random) {
        var uuid = new UUID(random.nextLong(), random.nextLong());
        return random.nextBoolean()
                ? ExecutionId.of(uuid)
                : new ExecutionId(new Partition(random.nextInt(Partition.COUNT)), uuid);
    }

    private static SessionId anySessionId(SplittableRandom random) {
        return new SessionId(new UUID(random.nextLong(), random.nextLong()));
    }

    private static Fence anyFence(SplittableRandom random) {
        // Shifted, so that small numbers come up as often as large ones.
        int attempt = random.nextInt(Integer.MAX_VALUE) >>> random.nextInt(31);
        long epoch = 1 + (random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63));
        return new Fence(anyExecutionId(random), attempt, epoch);
    }

    private static Cursor anyCursor(SplittableRandom random) {
        var purposes = Cursor.Purpose.values();
        var position = new byte[random.nextInt(40)];
        random.nextBytes(position);
        return random.nextInt(20) == 0
                ? Cursor.START
                : Cursor.at(purposes[random.nextInt(purposes.length)], position);
    }

    private static Capabilities anyCapabilities(SplittableRandom random) {
        var words = new TreeSet<String>();
        for (int n = random.nextInt(6); n > 0; n--) {
            words.add(
                    switch (random.nextInt(4)) {
                        case 0 -> anyWord(random) + "x=" + anyWord(random);
                        case 1 -> anyWord(random) + "x" + anySign(random) + anyVersion(random);
                        default -> anyWord(random);
                    });
        }
        return new Capabilities(words);
    }

    private static String anyWord(SplittableRandom random) {
        var word = new StringBuilder();
        for (int length = random.nextInt(1, 8); length > 0; length--) {
            int point = random.nextInt(5) == 0 ? random.nextInt(0x110000) : random.nextInt(128);
            word.appendCodePoint(isWordLike(point) ? point : 'x');
        }
        return word.toString();
    }

    private static boolean isWordLike(int point) {
        return Character.isLetterOrDigit(point) || "!#+-./:_".indexOf(point) >= 0;
    }

    private static String anySign(SplittableRandom random) {
        return List.of(">=", ">", "<=", "<").get(random.nextInt(4));
    }

    private static String anyVersion(SplittableRandom random) {
        return "%d.%d%s"
                .formatted(
                        random.nextInt(20), random.nextInt(20), random.nextBoolean() ? "" : "-rc1");
    }

    private static StateVector anyStateVector(SplittableRandom random) {
        return LEGAL.get(random.nextInt(LEGAL.size()));
    }

    /** The text so that it can be seen and pasted. */
    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.chars()
                .forEach(
                        c -> {
                            if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
                                quoted.append((char) c);
                            } else {
                                quoted.append("\\u%04X".formatted(c));
                            }
                        });
        return quoted.append('"').toString();
    }
}
