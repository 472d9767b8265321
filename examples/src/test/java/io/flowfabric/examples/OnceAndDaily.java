package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.WorkHandle;
import io.flowfabric.worker.Worker;

import java.time.Duration;

/** A one-time task with data, due later. */
final class OnceAndDaily {
    record Reminder(String to, String text) {}

    static final Kind<Reminder, Void> REMIND =
            Kind.of("remind-once", Reminder.class).lane("reminders").retries(5);

    static Worker start(FlowFabric fabric) {
        return fabric.worker("reminders")
                .run(REMIND, (task, reminder) -> task.log("to " + reminder.to()))
                .start();
    }

    static WorkHandle<Void> in(FlowFabric fabric, Duration wait, String customer) {
        var reminder = new Reminder(customer, "Your basket misses you.");
        return fabric.submit(REMIND.with(reminder).key("basket-" + customer).delay(wait));
    }
}
