package io.flowfabric.testkit.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * What a run performs: the operations of a seed, or some of them.
 *
 * @param operations how many the seed gives
 * @param kept what is performed of them
 */
record Case(long seed, int operations, List<Place> kept) {
    Case {
        kept = List.copyOf(kept);
    }

    /**
     * An item of an operation: what can be left out by itself.
     *
     * @param operation its place among the operations of the seed
     * @param item its place in the operation, which may be a batch
     */
    record Place(int operation, int item) {
        /** Reads the written form. */
        static Place parse(String text) {
            var parts = text.split("\\.", -1);
            if (parts.length != 2) {
                throw new IllegalArgumentException("not a place such as 17.0: " + text);
            }
            return new Place(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
        }

        @Override
        public String toString() {
            return operation + "." + item;
        }
    }

    static Case whole(long seed, int operations) {
        var places = new ArrayList<Place>();
        var generator = Generator.ofEveryone(seed);
        for (int index = 0; index < operations; index++) {
            int items = generator.operation(index).items();
            for (int item = 0; item < items; item++) {
                places.add(new Place(index, item));
            }
        }
        return new Case(seed, operations, places);
    }

    Case keeping(List<Place> fewer) {
        return new Case(seed, operations, fewer);
    }

    /** The same without what comes after an operation. */
    Case upTo(int operation) {
        return keeping(kept.stream().filter(place -> place.operation() <= operation).toList());
    }

    /** What is performed, by its place among the operations of the seed. */
    SequencedMap<Integer, Operation> performed() {
        var items = new LinkedHashMap<Integer, List<Integer>>();
        for (Place place : kept) {
            items.computeIfAbsent(place.operation(), index -> new ArrayList<>()).add(place.item());
        }
        var generator = Generator.ofEveryone(seed);
        var performed = new LinkedHashMap<Integer, Operation>();
        items.forEach(
                (index, some) -> performed.put(index, generator.operation(index).keeping(some)));
        return performed;
    }
}
