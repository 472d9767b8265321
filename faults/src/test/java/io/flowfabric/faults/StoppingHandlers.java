package io.flowfabric.faults;

import io.flowfabric.DurableTask;
import io.flowfabric.FabricWorker;
import io.flowfabric.Flow;
import io.flowfabric.FlowHandle;
import io.flowfabric.Kind;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.worker.TaskFailure;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Handlers that use everything durable, and stop for ever at the boundary that their work names, so
 * that their process can be killed while they are there.
 *
 * <p>The boundaries of a step are {@code begun}, before it has done anything, {@code done}, between
 * what it did and its record, and {@code recorded}, right behind that.
 */
final class StoppingHandlers {
    /** At which boundaries of a wait no handler stops, because none runs. */
    static final String SUSPENDED = ".suspended";

    private static final Duration LONG = Duration.ofMinutes(10);

    /**
     * A piece of work.
     *
     * @param number by which its effects are known
     * @param stops where it stops in the first process, in the second, and so on
     */
    record Plan(int number, List<String> stops) {
        /** Where it stops in the process of this number; nowhere when that is empty. */
        String stop(int process) {
            return process < stops.size() ? stops.get(process) : "";
        }
    }

    /** Five steps, a sleep and an approval. */
    static final Kind<Plan, String> ORDER =
            Kind.of("order", Plan.class, String.class).lane("stopping");

    /** A signal, and children. */
    static final Kind<Plan, String> PARCEL =
            Kind.of("parcel", Plan.class, String.class).lane("stopping");

    /** Something that fails, and is undone. */
    static final Kind<Plan, String> TRIP =
            Kind.of("trip", Plan.class, String.class).lane("stopping");

    private static final Kind<Plan, String> PART =
            Kind.of("part", Plan.class, String.class).lane("stopping");

    /** Every boundary of an order, in the order in which a handler comes to them. */
    static final List<String> BOUNDARIES_OF_ORDER =
            all(
                    "start",
                    ofSteps("one", "two"),
                    "rest" + SUSPENDED,
                    "rest.over",
                    ofSteps("three", "four"),
                    "ask.done",
                    "boss" + SUSPENDED,
                    "boss.over",
                    ofSteps("five"));

    /** The boundaries of a parcel that follow each other. */
    static final List<String> BOUNDARIES_OF_PARCEL =
            all(
                    ofSteps("pack"),
                    "go" + SUSPENDED,
                    "go.over",
                    ofSteps("left"),
                    "parts.over",
                    ofSteps("send"));

    /** A boundary inside of a wait for children, who run on meanwhile, and the one behind it. */
    static final List<String> AMID_SUBMITTING_PARTS = List.of("parts.submitted", "parts.over");

    /** Every boundary of a trip. */
    static final List<String> BOUNDARIES_OF_TRIP =
            all(
                    ofSteps("flight", "hotel"),
                    "car.begun",
                    "car.done",
                    "no-hotel.begun",
                    "no-hotel.done",
                    "no-flight.begun",
                    "no-flight.done");

    /** The parcel whose parts the thread is about to submit. */
    private static final ThreadLocal<@Nullable Plan> CURRENT = new ThreadLocal<>();

    private final int process;
    private final EffectLog effects;

    StoppingHandlers(int process, EffectLog effects) {
        this.process = process;
        this.effects = effects;
    }

    private static List<String> ofSteps(String... names) {
        return Stream.of(names)
                .flatMap(name -> Stream.of(name + ".begun", name + ".done", name + ".recorded"))
                .toList();
    }

    private static List<String> all(Object... parts) {
        return Stream.of(parts)
                .flatMap(part -> part instanceof List<?> some ? some.stream() : Stream.of(part))
                .map(String.class::cast)
                .toList();
    }

    FabricWorker on(FabricWorker worker) {
        return worker.on(ORDER, this::order)
                .on(PARCEL, this::parcel)
                .on(PART, this::part)
                .on(TRIP, this::trip);
    }

    private String order(DurableTask task, Plan plan) throws Exception {
        stop(plan, "start");
        var one = step(task, plan, "one");
        var two = step(task, plan, "two");
        task.sleep(
                "rest", Duration.ofMillis(plan.stops().contains("rest" + SUSPENDED) ? 1500 : 200));
        over(plan, "rest");
        var three = step(task, plan, "three");
        var four = step(task, plan, "four");
        var approval =
                task.awaitApproval(
                        "boss",
                        LONG,
                        token -> {
                            effects.add(plan.number(), "ask", task.fence().epoch(), token);
                            stop(plan, "ask.done");
                        });
        over(plan, "boss");
        var five = step(task, plan, "five");
        return String.join(" ", one, two, three, four, five, "" + approval.by());
    }

    private String parcel(DurableTask task, Plan plan) throws Exception {
        var pack = step(task, plan, "pack");
        var go = task.awaitSignal("go", String.class).orElseThrow();
        over(plan, "go");
        var parts = parts(task, plan);
        stop(plan, "parts.over");
        return String.join(
                " ",
                pack,
                go,
                parts.result("left", String.class).orElseThrow(),
                parts.result("right", String.class).orElseThrow(),
                step(task, plan, "send"));
    }

    private FlowHandle parts(DurableTask task, Plan plan) {
        CURRENT.set(plan);
        try {
            return task.awaitChildren(
                    "parts",
                    Flow.of("parts")
                            .task("left", PART.with(plan).tag("name", "left"))
                            .task("right", PART.with(plan).tag("name", "right")));
        } finally {
            CURRENT.remove();
        }
    }

    private String part(DurableTask task, Plan plan) throws Exception {
        return step(task, plan, Objects.requireNonNull(task.tags().values().get("name")));
    }

    private String trip(DurableTask task, Plan plan) throws Exception {
        step(task, plan, "flight");
        task.compensate("flight", () -> body(task, plan, "no-flight").call());
        step(task, plan, "hotel");
        task.compensate("hotel", () -> body(task, plan, "no-hotel").call());
        task.step(
                "car",
                () -> {
                    body(task, plan, "car").call();
                    throw TaskFailure.permanent("no cars");
                });
        return "never";
    }

    private String step(DurableTask task, Plan plan, String name) throws Exception {
        var value = task.step(name, String.class, body(task, plan, name));
        stop(plan, name + ".recorded");
        return value;
    }

    private Callable<String> body(DurableTask task, Plan plan, String name) {
        return () -> {
            stop(plan, name + ".begun");
            var effect = effects.add(plan.number(), name, task.fence().epoch(), "");
            stop(plan, name + ".done");
            return effect.value();
        };
    }

    /** Who is to be killed amid a wait goes no further than to its end. */
    private void over(Plan plan, String wait) {
        stop(plan, wait + ".over");
        stop(plan, wait + SUSPENDED);
    }

    /** What the store of the process is called through: a boundary inside of a wait is there. */
    Object around(String name, HookedStore.Call call) throws Exception {
        var answer = call.call();
        var plan = CURRENT.get();
        if (plan != null && name.equals("submit") && ofFlow(call.argument())) {
            stop(plan, AMID_SUBMITTING_PARTS.getFirst());
        }
        return answer;
    }

    private static boolean ofFlow(Object argument) {
        return argument instanceof FlowSubmission
                || (argument instanceof List<?> all && all.getFirst() instanceof FlowSubmission);
    }

    private void stop(Plan plan, String boundary) {
        if (plan.stop(process).equals(boundary)) {
            System.out.println("at %d %s".formatted(plan.number(), boundary));
            while (true) {
                LockSupport.park();
                // Whoever interrupts it would have it go on.
                Thread.interrupted();
            }
        }
    }
}
