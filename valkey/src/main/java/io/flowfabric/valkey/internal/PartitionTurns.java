package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which partitions of a spread namespace the claims of one session visit. Each claim begins behind
 * the partition where the one before it ended, and visits a bounded number of them: so none waits
 * for longer than it takes to go round once. Sessions begin at different partitions, each always at
 * the same one.
 */
final class PartitionTurns {
    /** So many partitions one claim visits at most. */
    static final int SCAN = 8;

    private final List<Partition> parts;
    private final Lock claiming = new ReentrantLock();
    private int next;
    private long highest;

    /** How many were visited one after the other in which nothing was found. */
    private int inVain;

    PartitionTurns(SessionId session, List<Partition> parts, Placement placement) {
        this.parts = List.copyOf(parts);
        this.next = placement.index(Signposts.bytes(session.uuid()), parts.size());
    }

    void lock() {
        claiming.lock();
    }

    void unlock() {
        claiming.unlock();
    }

    /** The partitions that the next claim visits, in this order. */
    synchronized List<Partition> next() {
        var turn = new ArrayList<Partition>();
        for (int n = 0; n < Math.min(SCAN, parts.size()); n++) {
            turn.add(parts.get((next + n) % parts.size()));
        }
        return turn;
    }

    /**
     * Notes what a visit came to.
     *
     * @param found whether there was something
     */
    synchronized void visited(Partition partition, boolean found) {
        next = (parts.indexOf(partition) + 1) % parts.size();
        inVain = found ? 0 : Math.min(parts.size(), inVain + 1);
    }

    /**
     * Notes that a number is used, and says whether it may have been before: by an earlier call, or
     * by one that this process has not heard of.
     */
    synchronized boolean isHeard(long number) {
        boolean heard = number <= highest || (highest == 0 && number > 1);
        highest = Math.max(highest, number);
        return heard;
    }

    /** Whether there may be something in a partition that was not visited lately. */
    synchronized boolean isMore() {
        return inVain < parts.size();
    }
}
