package io.flowfabric.faults;

import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.testkit.fault.HookedStore;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process with a worker whose handlers stop where they are told, until it is killed. */
final class StoppingProgram {
    private static final int MORE_THAN_EVER_RUN = 128;

    private StoppingProgram() {}

    /** The words that it is started with. */
    static List<String> words(StoreAddress address, Path effects, int process, Duration ttl) {
        var words = new ArrayList<>(address.words());
        words.addAll(
                List.of(
                        effects.toString(),
                        Integer.toString(process),
                        Long.toString(ttl.toMillis())));
        return words;
    }

    /** Takes those words, and ends when its input does. */
    public static void main(String... words) throws Exception {
        var all = List.of(words);
        var own = all.subList(StoreAddress.WORDS, all.size());
        var handlers =
                new StoppingHandlers(
                        Integer.parseInt(own.get(1)), new EffectLog(Path.of(own.get(0))));
        var store = StoreAddress.parse(all).open("stopping");
        try (var fabric =
                FlowFabric.on(HookedStore.over(store, handlers::around), FabricOptions.DEFAULT)) {
            handlers.on(
                            fabric.worker("stopping")
                                    .concurrency(MORE_THAN_EVER_RUN)
                                    .ttl(Duration.ofMillis(Long.parseLong(own.get(2)))))
                    .start();
            System.out.println("ready");
            while (System.in.read() >= 0) {
                // It has nothing to say.
            }
        }
    }
}
