package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Map.entry;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Flows.FlowFilter;
import io.flowfabric.core.flow.MemberFilter;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals.Presented;
import io.flowfabric.core.signal.Signals.Wanted;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Duty;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Wakeups.Listener;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameRange;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A call to a store, with legal arguments. */
record StoreCall(Method method, Object target, List<Object> arguments) {
    /**
     * Every method of everything that a store hands out, found where it is declared.
     *
     * @param by who makes those that an operator makes
     */
    static List<StoreCall> every(Scenario world, Attribution by) {
        var samples = samples(world, by);
        var calls = new ArrayList<StoreCall>();
        for (Method accessor : Store.class.getMethods()) {
            if (accessor.getParameterCount() == 0 && accessor.getReturnType().isInterface()) {
                var audience =
                        new StoreCall(accessor, world.store(), List.of()).make().orElseThrow();
                for (Method method : accessor.getReturnType().getMethods()) {
                    if (!Modifier.isStatic(method.getModifiers())) {
                        calls.add(new StoreCall(method, audience, arguments(samples, method)));
                    }
                }
            }
        }
        assertThat(calls).as("calls to a store").hasSizeGreaterThan(50);
        return calls;
    }

    /** What it answers, if it answers anything. */
    Optional<Object> make() {
        try {
            return Optional.ofNullable(method.invoke(target, arguments.toArray()));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof FlowFabricException refusal) {
                throw refusal;
            }
            throw new AssertionError(this + " failed", e.getCause());
        } catch (IllegalAccessException e) {
            throw new LinkageError(this + " is not for all", e);
        }
    }

    @Override
    public String toString() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    private static List<Object> arguments(Map<String, Object> samples, Method method) {
        return Stream.of(method.getGenericParameterTypes())
                .map(type -> sample(samples, method, type))
                .toList();
    }

    private static Object sample(Map<String, Object> samples, Method method, Type type) {
        if (method.getDeclaringClass() == Feeds.class && type == Cursor.class) {
            return Cursor.NOW;
        }
        return Optional.ofNullable(samples.get(simple(type.getTypeName())))
                .orElseThrow(
                        () -> new AssertionError("no sample of %s for %s".formatted(type, method)));
    }

    /** The name of a type without its packages and the types around it. */
    private static String simple(String type) {
        return type.replaceAll("[a-zA-Z.$]*[.$]", "");
    }

    /** A legal value of each type that a call takes. */
    private static Map<String, Object> samples(Scenario world, Attribution by) {
        world.submit();
        var worker = world.worker();
        var lease = worker.claimOne();
        var id = idOf(lease);
        var session = worker.session().id();
        var at = new Waitpoint(id, "boss");
        var signal = Signal.of(at, "approved", Payload.EMPTY, by);
        var flow = FlowSubmission.of("sample").member("a", work());
        return Map.ofEntries(
                entry("FlowSubmission", FlowSubmission.of("sample").member("a", work())),
                entry("List<FlowSubmission>", List.of(flow)),
                entry("List<FlowExtension>", List.of(FlowExtension.of(flow.id(), 1))),
                entry("FlowId", flow.id()),
                entry("List<FlowId>", List.of(flow.id())),
                entry("Mode", FlowCancellation.Mode.ALL),
                entry("FlowFilter", FlowFilter.of(Namespace.DEFAULT)),
                entry("MemberFilter", MemberFilter.ALL),
                entry("int", 1),
                entry("String", "name"),
                entry("List<String>", List.of("token")),
                entry("Duration", Grants.DEFAULT_TTL),
                entry("Attribution", by),
                entry("Cursor", Cursor.START),
                entry("ExecutionId", id),
                entry("List<ExecutionId>", List.of(id)),
                entry("Submission", work()),
                entry("List<Submission>", List.of(work())),
                entry("Session", worker.session()),
                entry("SessionId", session),
                entry("List<Heartbeat>", List.of(Heartbeat.of(session))),
                entry("Claim", new Claim(session, 2, 1)),
                entry("Redemption", new Redemption(session, 2, List.of("token"))),
                entry("List<Progress>", List.of(new Progress(lease.fence(), 1, ""))),
                entry(
                        "List<Checkpoint>",
                        List.of(new Checkpoint(lease.fence(), "step", Payload.EMPTY))),
                entry(
                        "List<Append>",
                        List.of(Append.durable(lease.fence(), 0, "said", Payload.EMPTY))),
                entry("FrameRange", FrameRange.ALL),
                entry("long", 0L),
                entry("Consumer<UUID>", (Consumer<UUID>) streamed -> {}),
                entry("Lease", lease.withStepsApart()),
                entry("List<Ending>", List.of(complete(lease))),
                entry(
                        "List<UsageReport>",
                        List.of(new UsageReport(lease.fence(), "b", "t", 1, "k"))),
                entry("List<OpenWaitpoint>", List.of(new OpenWaitpoint(lease.fence(), "boss"))),
                entry("List<Waitpoint>", List.of(at)),
                entry("List<Signal>", List.of(signal)),
                entry("List<Presented>", List.of(Presented.approve("token", by))),
                entry("List<Wanted>", List.of(new Wanted(at, Duration.ofDays(1)))),
                entry("Optional<Instant>", Optional.<Instant>empty()),
                entry("Rotation", Rotation.after(Duration.ZERO)),
                entry("Namespace", Namespace.DEFAULT),
                entry("NamespaceSettings", NamespaceSettings.DEFAULT),
                entry("Lane", Lane.DEFAULT),
                entry("LaneSettings", LaneSettings.DEFAULT),
                entry("Quota", Quota.atOnce("q", 1)),
                entry("QuotaUse", QuotaUse.of("q")),
                entry("Budget", Budget.of("b", "tokens", 1)),
                entry("Scope", Scope.ALL),
                entry("List<OperatorCommand>", List.of(new OperatorCommand.Cancel(id))),
                entry("Search", Search.in(Namespace.DEFAULT)),
                entry("FeedFilter", FeedFilter.of(Topic.EVERYTHING)),
                entry("Chore", Chore.TIMERS),
                entry("Duty", Duty.RETENTION),
                entry("Listener", (Listener) lane -> {}),
                entry("Consumer<SessionId>", (Consumer<SessionId>) lost -> {}));
    }
}
