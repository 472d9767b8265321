package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.WorkHandle;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.Worker;

import java.time.Duration;

/** Calls a service that is often busy, rarely gone, and sometimes says no for good. */
final class PatientCalls {
    /** Answers with a status and a text, as HTTP does. */
    interface Service {
        int call(String request) throws Exception;
    }

    static final Kind<String, Integer> CALL =
            Kind.of("call", String.class, Integer.class)
                    .lane("calls")
                    .retry(
                            Retry.retries(8)
                                    .backoff(
                                            Backoff.exponential(
                                                    Duration.ofSeconds(2),
                                                    Duration.ofMinutes(10),
                                                    3.0))
                                    .jitter(0.3))
                    .timeout(Duration.ofSeconds(30)) // for one run of the handler
                    .deadline(Duration.ofHours(6)) // for all of it, waits included
                    .policy(policy -> policy.stallTimeout(Duration.ofSeconds(20)));

    static Worker start(FlowFabric fabric, Service service) {
        return fabric.worker("caller")
                .on(
                        CALL,
                        (task, request) -> {
                            task.progress(0, "calling");
                            int status = service.call(request);
                            if (status == 429) {
                                throw new TaskFailure("busy", "The service is busy.");
                            }
                            if (status >= 400 && status < 500) {
                                throw TaskFailure.permanent("It said " + status);
                            }
                            return status;
                        })
                .start();
    }

    /** One call that is urgent: other retries, for busy answers alone. */
    static WorkHandle<Integer> urgent(FlowFabric fabric, String request) {
        var retry = Retry.retries(20).backoff(Backoff.fixed(Duration.ofMillis(100))).only("busy");
        return fabric.submit(CALL.with(request).retry(retry).priority(100));
    }
}
