package io.flowfabric.engine;

import org.slf4j.Logger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * Stops services all at once, because each may take long.
 *
 * <p>Each is stopped by a thread of its own. Where there is none to be had, and that may be why
 * everything is stopped, the caller stops those that are left one after the other.
 */
final class JointStop {
    private static final Logger LOG = QuietLogger.of(JointStop.class);

    private JointStop() {}

    /**
     * Stops them, and returns when all have ended. A caller that is interrupted meanwhile has the
     * threads interrupted that stop them.
     */
    static void stop(Collection<? extends Service> services, ThreadFactory threads) {
        var stops = new ArrayList<Thread>();
        var left = new ArrayList<Service>();
        for (var service : services) {
            try {
                var thread = threads.newThread(() -> stop(service));
                thread.start();
                stops.add(thread);
            } catch (Throwable noThread) {
                LOG.warn("There is no thread to stop {}; it is stopped by this one.", service);
                left.add(service);
            }
        }
        left.forEach(JointStop::stop);
        await(stops);
    }

    private static void stop(Service service) {
        try {
            service.stop();
        } catch (Throwable failed) {
            LOG.error("{} did not stop properly.", service, failed);
        }
    }

    private static void await(List<Thread> stops) {
        boolean interrupted = false;
        for (var stop : stops) {
            while (stop.isAlive()) {
                try {
                    stop.join();
                } catch (InterruptedException hurry) {
                    interrupted = true;
                    stops.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
