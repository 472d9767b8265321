package io.flowfabric.examples;

import static io.flowfabric.Flow.after;

import io.flowfabric.DurableTask;
import io.flowfabric.Flow;
import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.worker.TaskFailure;

import java.time.Duration;

/** An order from the payment to the parcel, in plain code that may stop between any two lines. */
final class Checkout {
    record Order(String id, String item, long cents) {}

    record Payment(String reference) {}

    static final Kind<Order, String> ORDER =
            Kind.of("order", Order.class, String.class).lane("orders").retries(5);
    static final Kind<String, String> PICK =
            Kind.of("pick", String.class, String.class).lane("hall");
    static final Kind<String, String> PACK =
            Kind.of("pack", String.class, String.class).lane("hall");

    /** What the shop calls: real systems, each of which may fail. */
    interface Systems {
        String reserve(Order order);

        void release(String reservation);

        void askManager(Order order, String token);

        String ship(Order order, String carrier);
    }

    private final Systems systems;

    Checkout(Systems systems) {
        this.systems = systems;
    }

    void start(FlowFabric fabric) {
        fabric.worker("shop").on(ORDER, this::fulfil).start();
        fabric.worker("hall")
                .on(PICK, (task, item) -> item + " picked")
                .on(PACK, (task, item) -> item + " packed")
                .start();
    }

    String fulfil(DurableTask task, Order order) throws Exception {
        // A step: runs until it has returned once, and is stored.
        var reservation = task.step("reserve", String.class, () -> systems.reserve(order));
        // Undone, in reverse order, when the order fails for good.
        task.compensate("release", () -> systems.release(reservation));

        // A signal: fabric.signal(id, "paid", new Payment("bank 17"))
        var payment = task.awaitSignal("paid", Payment.class, Duration.ofDays(3));
        if (payment.isEmpty()) {
            throw TaskFailure.permanent("Order " + order.id() + " was not paid.");
        }

        // An approval by a person, with a signed token for a link in a mail.
        if (order.cents() > 100_000) {
            var approval =
                    task.awaitApproval(
                            "manager",
                            Duration.ofDays(1),
                            token -> systems.askManager(order, token));
            if (!approval.approved()) {
                throw TaskFailure.permanent("Refused by " + approval.by());
            }
        }

        // Children: other work, at the same time or one after the other, and their results.
        var parcel =
                task.awaitChildren(
                        "parcel",
                        Flow.of("parcel")
                                .task("pick", PICK.with(order.item()))
                                .task("pack", PACK.with(order.item()), after("pick")));
        var packed = parcel.result("pack", String.class).orElseThrow();

        // The code has changed: orders that were past this point keep to the old carrier.
        var carrier = task.version("green carrier", 1) == 0 ? "truck" : "bicycle";
        task.sleep("morning", Duration.ofMillis(50)); // or eight hours: it costs the same
        var tracking = task.step("ship", String.class, () -> systems.ship(order, carrier));
        return packed + ", " + tracking + ", " + payment.get().reference();
    }
}
