package io.flowfabric.mutation;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Lets PIT change the classes of a module, one small change at a time. */
final class JavaMutants {
    /** The module whose tests need a server, which all its processes share. */
    private static final String ON_POSTGRES = "postgres";

    private JavaMutants() {}

    /**
     * @param words how many changes must be noticed, in percent; then, if not all, the classes to
     *     change
     */
    static boolean run(Module module, List<String> words) throws IOException, InterruptedException {
        var process =
                module.java(own(module), pit(module, classes(module, words), words.getFirst()))
                        .inheritIO();
        if (!module.name().equals(ON_POSTGRES)) {
            return process.start().waitFor() == 0;
        }
        try (var server = module.server("server")) {
            Module.use(server, process);
            return process.start().waitFor() == 0;
        }
    }

    private static String classes(Module module, List<String> words) {
        if (words.size() == 1) {
            return "io.flowfabric.%s.*".formatted(module.name());
        }
        if (words.size() == 3 && words.get(1).equals("--only")) {
            return words.get(2);
        }
        throw new Misused(
                "mutate %1$s takes --only 'io.flowfabric.%1$s.Some*', the classes to change."
                        .formatted(module.name()));
    }

    private static String own(Module module) {
        return module.folder().resolve("target/classes")
                + File.pathSeparator
                + module.folder().resolve("target/test-classes");
    }

    private static List<String> pit(Module module, String classes, String enough) {
        var target = module.folder().resolve("target");
        var words = new ArrayList<String>();
        words.add("org.pitest.mutationtest.commandline.MutationCoverageReport");
        words.add("--targetClasses=" + classes);
        words.add("--targetTests=io.flowfabric.*");
        words.add("--mutableCodePaths=" + target.resolve("classes"));
        words.add("--sourceDirs=" + module.folder().resolve("src/main/java"));
        words.add("--reportDir=" + target.resolve("pit-reports"));
        // CSV is the text report, one line per change: ./ff mutate lists the survivors from it.
        words.add("--outputFormats=HTML,CSV");
        words.add("--timestampedReports=false");
        words.add("--verbosity=NO_SPINNER");
        // Tests on one server use the same schemas, one process at a time.
        words.add("--threads=" + (module.name().equals(ON_POSTGRES) ? 1 : 2));
        words.add("--timeoutConst=10000");
        words.add("--mutationThreshold=" + enough);
        return words;
    }
}
