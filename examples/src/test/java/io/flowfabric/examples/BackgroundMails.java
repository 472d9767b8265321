package io.flowfabric.examples;

import io.flowfabric.DurableTask;
import io.flowfabric.FlowFabric;
import io.flowfabric.Handles;
import io.flowfabric.Kind;
import io.flowfabric.WorkHandle;
import io.flowfabric.worker.Worker;

/** A method that runs in the background, found by a name instead of by its signature. */
final class BackgroundMails {
    static final Kind<String, String> GREET =
            Kind.of("greet", String.class, String.class).lane("greetings").retries(10);

    @Handles("greet")
    String greet(DurableTask task, String name) {
        task.progress(50, "half way"); // what a dashboard shows
        task.log("greeting " + name); // kept with the attempt
        return "Hello " + name;
    }

    static Worker start(FlowFabric fabric) {
        return fabric.worker("greeter").lane("greetings").handlers(new BackgroundMails()).start();
    }

    static WorkHandle<String> enqueue(FlowFabric fabric, String name) {
        return fabric.submit(GREET.with(name));
    }
}
