package io.flowfabric.core.signal;

import io.flowfabric.core.Lane;

import java.time.Instant;
import java.util.Optional;

/**
 * An open waitpoint, as it reads.
 *
 * @param lane of its execution
 * @param number which of the waitpoints of its execution it is, from 1; one that is opened again
 *     under its name has another number
 * @param expires when it is closed by itself, if it is
 * @param awaited whether the execution is suspended, and waits at it
 * @param received how many signals have arrived at it
 */
public record WaitpointView(
        Waitpoint at,
        Lane lane,
        long number,
        Instant opened,
        Optional<Instant> expires,
        boolean awaited,
        long received) {}
