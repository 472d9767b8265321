package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.WorkHandle;

/** The same with a Postgres of your own, for a program that takes orders and goes on. */
final class ShopServer {
    static FlowFabric connect(String url, String user, String password) {
        return FlowFabric.connect(url, user, password); // "jdbc:postgresql://host/database"
    }

    /** What a request handler of a web application does: it submits, and does not wait. */
    static String order(FlowFabric fabric, Parcel.Order order) {
        WorkHandle<Parcel.Sent> parcel =
                fabric.submit(
                        Parcel.SEND
                                .with(order)
                                .key("order-" + order.number()) // a second click is the same work
                                .tag("item", order.item()));
        return parcel.id().toString();
    }

    /** How it stands, in one sentence. */
    static String status(FlowFabric fabric, WorkHandle<Parcel.Sent> parcel) {
        return fabric.explain(parcel.id()).words();
    }
}
