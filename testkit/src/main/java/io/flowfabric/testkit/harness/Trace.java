package io.flowfabric.testkit.harness;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What a run did, in lines that a person can follow. */
final class Trace {
    private final List<Supplier<String>> lines = new ArrayList<>();
    private String heading = "";

    /** Begins what one operation does. */
    void heading(String text) {
        heading = text;
    }

    void say(String text) {
        say(() -> text);
    }

    void called(String what, Object request, Reply<?> reply) {
        say(() -> "%s %s -> %s".formatted(what, shown(request), shown(ComparableFacts.of(reply))));
    }

    /**
     * Most runs are sound, and their lines are never read: they are written when they are asked
     * for.
     */
    private void say(Supplier<String> text) {
        var under = heading;
        lines.add(() -> "%-6s %s".formatted(under, text.get()));
    }

    List<String> lines() {
        return lines.stream().map(Supplier::get).toList();
    }

    /** Only what matters of the values that would fill a screen. */
    private static String shown(Object value) {
        return switch (value) {
            case List<?> list ->
                    list.stream().map(Trace::shown).collect(Collectors.joining(", ", "[", "]"));
            case Optional<?> some -> some.map(Trace::shown).orElse("nothing");
            case Lease lease ->
                    "lease %s of %s for %s".formatted(lease.fence(), lease.session(), lease.next());
            case Submission work -> shown(work);
            case Submitted done -> done.id() + (done.created() ? " created" : " found");
            case Session session ->
                    "%s serving %s of %s, kinds %s, offering '%s', ttl %s"
                            .formatted(
                                    session.id(),
                                    session.lanes(),
                                    session.namespace(),
                                    session.kinds(),
                                    session.offers(),
                                    session.ttl());
            case Claims.Claim claim ->
                    "number %d of %s for up to %d"
                            .formatted(claim.number(), claim.session(), claim.max());
            case Ending.Complete(var fence, var result) ->
                    "Complete %s with %s".formatted(fence, shown(result));
            case Ended(var transition, var until) ->
                    transition + until.map(at -> " until " + at).orElse("");
            case LaneView view -> view.lane() + " " + view.settings().state();
            case ExecutionView view -> view.id() + " is " + view.state();
            case Payload payload -> "'" + payload.asText() + "'";
            default -> value.toString();
        };
    }

    private static String shown(Submission work) {
        return "%s: %s in %s%s%s"
                .formatted(
                        work.id(),
                        work.kind(),
                        work.lane(),
                        work.key()
                                .map(key -> ", key %s %s".formatted(key, work.keyUse()))
                                .orElse(""),
                        Diff.unusual(Policy.DEFAULT, work.policy()));
    }
}
