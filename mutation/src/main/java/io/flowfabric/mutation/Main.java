package io.flowfabric.mutation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The program behind {@code ./ff mutate}. */
public final class Main {
    private static final int UNNOTICED = 1;
    private static final int MISUSED = 2;

    private Main() {}

    /**
     * Changes what it is told to, and leaves with an error if too little of it is noticed.
     *
     * @param words what is changed, {@code java} or {@code statements}; the folder of the module;
     *     its class path for tests; then what the one or the other understands
     */
    public static void main(String[] words) throws IOException, InterruptedException {
        var given = List.of(words);
        var rest = given.subList(3, given.size());
        var tests = new Module(Path.of(given.get(1)), given.get(2));
        boolean noticed;
        try {
            noticed =
                    given.getFirst().equals("java")
                            ? JavaMutants.run(tests, rest)
                            : StatementTrials.run(tests, Options.parse(rest));
        } catch (Misused misused) {
            System.err.println(misused.getMessage());
            System.exit(MISUSED);
            return;
        }
        System.exit(noticed ? 0 : UNNOTICED);
    }
}
