package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;

import java.time.Duration;

/** Welcomes a customer twice: at once, and two seconds later. */
public final class Welcome {
    record Customer(String name, String email) {}

    static final Kind<Customer, String> WELCOME =
            Kind.of("welcome", Customer.class, String.class).lane("emails").retries(5);

    public static void main(String[] args) throws Exception {
        try (var fabric = FlowFabric.embedded()) { // a real Postgres, in the folder .flowfabric
            fabric.worker("mailer")
                    .on(
                            WELCOME,
                            (task, customer) -> {
                                task.step("hello", () -> send(customer, "Hello!"));
                                task.sleep("a while", Duration.ofSeconds(2)); // holds no thread
                                task.step("tips", () -> send(customer, "Here are some tips."));
                                return customer.name() + " is welcome";
                            })
                    .start();

            var ada = new Customer("Ada", "ada@example.org");
            var work = fabric.submit(WELCOME.with(ada).key("welcome-ada"));
            System.out.println(work.await(Duration.ofMinutes(1)));
        }
    }

    static void send(Customer customer, String text) {
        System.out.println("To " + customer.email() + ": " + text);
    }
}
