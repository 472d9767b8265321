package io.flowfabric.mutation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Lets PIT change the classes of a module, one small change at a time. */
final class JavaMutants {
    /** The module whose tests need a server, which all its processes share. */
    private static final String ON_POSTGRES = "postgres";

    /** Tests of load and of plans: each is asked about every change that no other test notices. */
    private static final String SLOW =
            "*PlansTest,*HarnessTest,*.FeedBesideWritersTest,*.HeldSnapshotTest,*.HeldUpSweepsTest,"
                    + "*.LaneRankSweepTest,*.RankedAnewTest,*.ShutBudgetTest,*.ManyGatesTest";

    /** How the name of a compiled class ends. */
    private static final String CLASS = ".class";

    private JavaMutants() {}

    /**
     * @param words how many changes must be noticed, in percent; then {@code --only} with the
     *     classes to change, or {@code --classes} with how many of them, if not all, and {@code
     *     --each} with how many changes of each
     */
    static boolean run(Module module, List<String> words) throws IOException, InterruptedException {
        var process = module.java(own(module), pit(module, words)).inheritIO();
        var reports = reports(module);
        var lines = reports.resolve("mutations.csv");
        Files.deleteIfExists(lines);
        boolean enough = noticed(module, process);
        if (Files.exists(lines)) {
            System.out.println();
            CodeReport.lines(Files.readAllLines(lines), Explained.code())
                    .forEach(System.out::println);
            System.out.println(
                    "The same with the source beside it: " + reports.resolve("index.html"));
        }
        return enough;
    }

    private static boolean noticed(Module module, ProcessBuilder process)
            throws IOException, InterruptedException {
        if (!module.name().equals(ON_POSTGRES)) {
            return process.start().waitFor() == 0;
        }
        try (var server = module.server("server")) {
            Module.use(server, process);
            return process.start().waitFor() == 0;
        }
    }

    private static Path reports(Module module) {
        return module.folder().resolve("target/pit-reports");
    }

    private static String own(Module module) {
        return module.folder().resolve("target/classes")
                + File.pathSeparator
                + module.folder().resolve("target/test-classes");
    }

    private static List<String> pit(Module module, List<String> told) throws IOException {
        var target = module.folder().resolve("target");
        var words = new ArrayList<String>();
        words.add("org.pitest.mutationtest.commandline.MutationCoverageReport");
        words.addAll(chosen(module, told.subList(1, told.size())));
        words.add("--mutationThreshold=" + told.getFirst());
        words.add("--targetTests=io.flowfabric.*");
        if (module.name().equals(ON_POSTGRES)) {
            words.add("--excludedTestClasses=" + SLOW);
        }
        words.add("--mutableCodePaths=" + target.resolve("classes"));
        words.add("--sourceDirs=" + module.folder().resolve("src/main/java"));
        words.add("--reportDir=" + reports(module));
        // CSV is the text report, one line per change: the survivors are listed from it.
        words.add("--outputFormats=HTML,CSV");
        words.add("--timestampedReports=false");
        words.add("--verbosity=NO_SPINNER");
        // Tests on one server use the same schemas, one process at a time.
        words.add("--threads=" + (module.name().equals(ON_POSTGRES) ? 1 : 2));
        // For people who read a log or a debugger. Calls that log are left alone by default.
        words.add("--excludedMethods=toString");
        // Tests that wait in vain say so after 20 seconds: what is broken off earlier may only be
        // slow. The first test in a process of a store waits for a schema besides.
        words.add("--timeoutConst=" + (module.name().equals(ON_POSTGRES) ? 60_000 : 30_000));
        return words;
    }

    private static List<String> chosen(Module module, List<String> told) throws IOException {
        var classes = "io.flowfabric.%s.*".formatted(module.name());
        var words = new ArrayList<String>();
        for (int i = 0; i < told.size(); i += 2) {
            var value = i + 1 < told.size() ? told.get(i + 1) : "";
            boolean number = value.matches("[1-9][0-9]{0,8}");
            if (told.get(i).equals("--only") && !value.isEmpty()) {
                classes = value;
            } else if (told.get(i).equals("--classes") && number) {
                classes = String.join(",", some(module, Integer.parseInt(value)));
            } else if (told.get(i).equals("--each") && number) {
                words.add("--features=+CLASSLIMIT(limit[%s])".formatted(value));
            } else {
                throw new Misused(
                        ("mutate %1$s takes --only 'io.flowfabric.%1$s.Some*', the classes to"
                                        + " change, or --classes 60, that many of them, and --each"
                                        + " 5, how many changes of each class.")
                                .formatted(module.name()));
            }
        }
        words.add("--targetClasses=" + classes);
        return words;
    }

    /** Some of a module's classes, chosen at random, and the same ones every time. */
    static List<String> some(Module module, int count) throws IOException {
        try (var files = Files.walk(module.classes())) {
            var names =
                    new ArrayList<>(
                            files.map(file -> module.classes().relativize(file).toString())
                                    .filter(file -> file.endsWith(CLASS))
                                    .map(file -> file.replace(File.separatorChar, '.'))
                                    .map(file -> file.substring(0, file.length() - CLASS.length()))
                                    .sorted()
                                    .toList());
            Collections.shuffle(names, new Random(1));
            return List.copyOf(names.subList(0, Math.min(count, names.size())));
        }
    }
}
