package io.flowfabric.faults;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The program behind {@code ./ff soak}: one {@link Fire} after the other for as long as it is told.
 * Workers in processes of their own finish, fail and retry work behind quotas and budgets, while it
 * is submitted and cancelled and processes are killed, frozen and replaced. Each fire has a schema
 * and a seed of its own, ends with all work done, and is judged; the first one that is not sound
 * ends the soak.
 */
final class Soak {
    private static final int SOUND = 0;
    private static final int NOT_SOUND = 1;
    private static final int WRONG_WORDS = 2;

    /** What one fire submits at most: its whole history is held in memory to be judged. */
    private static final int LARGEST_FIRE = 30_000;

    private final SoakOptions options;
    private final PrintStream out;
    private final long began = System.nanoTime();
    private final AtomicReference<String> doing = new AtomicReference<>("starting");
    private long submitted;
    private final AtomicInteger fires = new AtomicInteger();

    private Soak(SoakOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    public static void main(String... words) {
        System.exit(run(List.of(words), System.out, System.err));
    }

    /** Returns the exit code: 0 only when everything that happened was sound. */
    static int run(List<String> words, PrintStream out, PrintStream beside) {
        SoakOptions options;
        try {
            options = SoakOptions.parse(words);
        } catch (IllegalArgumentException e) {
            beside.println(e.getMessage());
            return WRONG_WORDS;
        }
        return new Soak(options, out).run(beside);
    }

    private int run(PrintStream beside) {
        var progress = Executors.newSingleThreadScheduledExecutor();
        try {
            tellEverySoOften(progress);
            do {
                burn(options.seed() + fires.get());
            } while (goesOn());
        } catch (AssertionError | RuntimeException e) {
            beside.printf(
                    "Not sound, in the fire of --seed %d:%n", options.seed() + fires.get() - 1);
            e.printStackTrace(beside);
            return NOT_SOUND;
        } finally {
            progress.shutdownNow();
        }
        out.printf("Sound: %,d executions, fires: %d, %s.%n", submitted, fires.get(), passed());
        return SOUND;
    }

    private void burn(long seed) {
        fires.incrementAndGet();
        try (var world = new FaultScenario()) {
            var random = new Random(seed);
            var quotas = new QuotasUnderFire(world, random);
            var budgets = new BudgetsUnderFire(world, random);
            quotas.define();
            budgets.define();
            var fire =
                    new Fire(
                            world,
                            random,
                            () -> random.nextBoolean() ? quotas.work() : budgets.work());
            fire.burn(
                    kills -> {
                        doing.set(
                                "%,d submitted, %,d not ended, %d killed"
                                        .formatted(
                                                submitted + fire.ids().size(),
                                                world.live(),
                                                kills));
                        return goesOn() && fire.ids().size() < LARGEST_FIRE;
                    },
                    budgets::goOn,
                    () -> {
                        budgets.lift();
                        doing.set("letting the rest end, to judge it");
                    });
            quotas.judge(fire);
            budgets.judge(fire);
            submitted += fire.ids().size();
        }
    }

    private boolean goesOn() {
        return System.nanoTime() - began < options.length().toNanos();
    }

    private void tellEverySoOften(ScheduledExecutorService progress) {
        long every = options.tellEvery().toMillis();
        var unused =
                progress.scheduleAtFixedRate(
                        () -> out.printf("%s  fire %d: %s%n", passed(), fires.get(), doing.get()),
                        every,
                        every,
                        TimeUnit.MILLISECONDS);
    }

    private Duration passed() {
        return Duration.ofSeconds(Duration.ofNanos(System.nanoTime() - began).toSeconds());
    }
}
