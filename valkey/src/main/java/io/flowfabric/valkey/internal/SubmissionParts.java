package io.flowfabric.valkey.internal;

import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.submit.Submission;

import java.util.ArrayList;
import java.util.List;

/** How work for one partition is cut into parts for one call of a function each. */
final class SubmissionParts {
    /** So many go with one call of a function, while which its server does nothing else. */
    private static final int CHUNK = 1000;

    /** What is larger than this goes in two calls at least, the second put together meanwhile. */
    private static final int ONE_CALL = 500;

    /** So many go with the first of several calls: the server has something to do soon. */
    private static final int FIRST = 200;

    private SubmissionParts() {}

    /** The places of some work in their order, in parts. */
    static List<List<Integer>> of(List<Submission> submissions, List<Integer> places) {
        int first = places.size() > ONE_CALL ? FIRST : 0;
        var parts = new ArrayList<List<Integer>>();
        for (var some : List.of(places.subList(0, first), places.subList(first, places.size()))) {
            parts.addAll(Chunks.of(some, CHUNK, i -> submissions.get(i).input().size()));
        }
        return parts;
    }
}
