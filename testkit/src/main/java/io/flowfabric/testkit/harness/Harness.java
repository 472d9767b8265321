package io.flowfabric.testkit.harness;

import io.flowfabric.testkit.StoreFixture;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The model-based test of a store.
 *
 * <p>Each seed gives a list of operations. They are performed on a fresh store and, in step, on the
 * store in memory; every answer is compared, then everything that can be seen; in the end all work
 * is drained and the history is judged. The first seed that shows a difference is shrunk to the few
 * operations that are needed for it, kept in a file, and reported.
 *
 * <pre>{@code
 * new Harness(MyFixture::new).seeds(1, 100).operations(300).run();
 * }</pre>
 *
 * <p>Files are kept in {@code src/test/seeds} of the module under test if there is such a folder,
 * else in {@code target/seeds}; all that are there are tried first.
 */
public final class Harness {
    private final HarnessTrial trial;
    private final long firstSeed;
    private final int seedCount;
    private final int operations;
    private final Duration shrinking;
    private final SeedFiles files;

    /**
     * A harness with modest numbers, for a store that takes its time.
     *
     * @param fixtures gives a fresh, empty store each time it is asked
     */
    public Harness(Supplier<? extends StoreFixture> fixtures) {
        this(
                new HarnessTrial(fixtures, 25),
                1,
                20,
                300,
                Duration.ofSeconds(60),
                SeedFiles.ofThisModule());
    }

    private Harness(
            HarnessTrial trial,
            long firstSeed,
            int seedCount,
            int operations,
            Duration shrinking,
            SeedFiles files) {
        this.trial = trial;
        this.firstSeed = firstSeed;
        this.seedCount = seedCount;
        this.operations = operations;
        this.shrinking = shrinking;
        this.files = files;
    }

    /** Which seeds are tried: so many, from the first on. */
    public Harness seeds(long first, int count) {
        return new Harness(trial, first, count, operations, shrinking, files);
    }

    /** How many operations each seed gives. */
    public Harness operations(int count) {
        return new Harness(trial, firstSeed, seedCount, count, shrinking, files);
    }

    /** After how many operations more is compared than what each execution is. */
    public Harness compareMoreEvery(int count) {
        var other = new HarnessTrial(trial.fixtures(), count);
        return new Harness(other, firstSeed, seedCount, operations, shrinking, files);
    }

    /** How long a failing case may be shrunk. */
    public Harness shrinkFor(Duration longest) {
        return new Harness(trial, firstSeed, seedCount, operations, longest, files);
    }

    /** Where failing cases are kept. */
    public Harness keepIn(Path directory) {
        return new Harness(
                trial, firstSeed, seedCount, operations, shrinking, new SeedFiles(directory));
    }

    /**
     * Tries the kept cases, then the seeds.
     *
     * @throws AssertionError at the first that shows a difference, with the operations that are
     *     needed for it
     */
    public void run() {
        for (Case kept : files.read()) {
            trial.run(kept)
                    .ifPresent(
                            failed -> {
                                throw report(kept, failed, "kept in " + files.directory());
                            });
        }
        LongStream.range(firstSeed, firstSeed + seedCount)
                .mapToObj(seed -> Case.whole(seed, operations))
                .forEach(whole -> trial.run(whole).ifPresent(failed -> fail(whole, failed)));
    }

    private void fail(Case whole, HarnessTrial.Failed failed) {
        var shrunk = shrink(whole.upTo(failed.last()), failed.difference());
        // The shrunk case is run once more for its own story; should that be silent, the whole one
        // is told.
        Optional<HarnessTrial.Failed> again = trial.run(shrunk);
        var told = again.isPresent() ? shrunk : whole;
        var story = again.orElse(failed);
        throw report(told, story, "kept in " + files.write(told, story));
    }

    private Case shrink(Case failing, Difference difference) {
        var shrinker = new Shrinker(shrinking, InstantSource.system());
        List<Case.Place> kept =
                shrinker.shrink(
                        failing.kept(),
                        fewer ->
                                trial.run(failing.keeping(fewer))
                                        .filter(other -> other.difference().resembles(difference))
                                        .isPresent());
        return failing.keeping(kept);
    }

    private static AssertionError report(Case failing, HarnessTrial.Failed failed, String where) {
        var text = new StringBuilder();
        text.append("The store differs from its model: ").append(failed.difference().title());
        text.append(
                "\nseed %d, %d of %d operations, %s\n"
                        .formatted(
                                failing.seed(),
                                failing.performed().size(),
                                failing.operations(),
                                where));
        failed.lines().forEach(line -> text.append("  ").append(line).append('\n'));
        text.append("What differs:\n");
        failed.difference().details().forEach(line -> text.append("  ").append(line).append('\n'));
        return new AssertionError(text.toString());
    }
}
