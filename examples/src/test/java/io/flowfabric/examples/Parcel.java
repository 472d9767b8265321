package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;

import java.time.Duration;

/** Sends a parcel. Stop it with Ctrl-C while it waits, start it again, and see what it repeats. */
public final class Parcel {
    record Order(int number, String item, long cents) {}

    record Sent(int number, String receipt, String tracking) {}

    static final Kind<Order, Sent> SEND =
            Kind.of("send", Order.class, Sent.class).lane("parcels").retries(5);

    public static void main(String[] args) throws Exception {
        try (var fabric = FlowFabric.embedded()) {
            fabric.worker("warehouse")
                    .concurrency(4) // how many handlers run at once
                    .on(
                            SEND,
                            (task, order) -> {
                                var receipt =
                                        task.step("charge", String.class, () -> charge(order));
                                task.sleep("pick", Duration.ofSeconds(5));
                                var tracking =
                                        task.step("ship", String.class, () -> ship(order, receipt));
                                return new Sent(order.number(), receipt, tracking);
                            })
                    .start();

            var parcel = fabric.submit(SEND.with(new Order(7, "tea", 450)).key("order-7"));
            System.out.println(parcel.created() ? "submitted" : "was submitted before");
            System.out.println(parcel.await(Duration.ofMinutes(1)));
        }
    }

    static String charge(Order order) {
        System.out.println("charging " + order.cents() + " cents");
        return "receipt " + order.number();
    }

    static String ship(Order order, String receipt) {
        System.out.println("shipping " + order.item() + ", paid with " + receipt);
        return "tracking " + order.number();
    }
}
