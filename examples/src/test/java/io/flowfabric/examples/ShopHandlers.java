package io.flowfabric.examples;

import io.flowfabric.DurableTask;
import io.flowfabric.FlowFabric;
import io.flowfabric.Handles;
import io.flowfabric.worker.Worker;

/** Several handlers in one class, each a method with an annotation. */
final class ShopHandlers {
    record Item(String name, int count) {}

    @Handles("price")
    long price(Item item) {
        return 100L * item.count();
    }

    @Handles("restock")
    String restock(DurableTask task, Item item) throws Exception {
        return task.step("order", String.class, () -> item.count() + " more of " + item.name());
    }

    static Worker start(FlowFabric fabric) {
        return fabric.worker("shop").lane("shop").handlers(new ShopHandlers()).start();
    }
}
