package io.flowfabric.testkit.harness;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Flows.SubmittedFlow;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;

import java.util.ArrayList;
import java.util.List;

/** Those who hand in graphs of work, and call them off. */
final class FlowRole extends Role {
    FlowRole(Stage stage, Participants cast) {
        super(stage, cast);
    }

    void submit(Operation.SubmitFlow operation) {
        var flow = flow(operation);
        flow.members().forEach(member -> cast.ledger().tried(member.work()));
        var unused =
                hear(
                        operation.hearing(),
                        () -> sent(flow),
                        // Whether it was created differs; the model knows how.
                        (first, second) -> {});
    }

    /** The ledger knows what was accepted, even when the answer is lost to the one who asked. */
    private Reply<List<Answer<SubmittedFlow>>> sent(FlowSubmission flow) {
        var flows = List.of(flow);
        var reply = stage.call("submit flow", flow, store -> store.flows().submit(flows));
        reply.answered()
                .ifPresent(
                        answers ->
                                eachDone(
                                        flows,
                                        answers,
                                        (submitted, done) -> {
                                            if (done.created()) {
                                                cast.ledger().accepted(done.id());
                                                submitted
                                                        .members()
                                                        .forEach(
                                                                member ->
                                                                        cast.ledger()
                                                                                .accepted(
                                                                                        member
                                                                                                .work()));
                                            }
                                        }));
        return reply;
    }

    private FlowSubmission flow(Operation.SubmitFlow operation) {
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (var part : operation.parts()) {
            var name = FlowGenerator.name(members.size());
            var work = part.work().submission(cast.identity(), cast.start());
            int all = part.after().size();
            var join = part.quorum() < all ? Join.quorum(part.quorum()).letRun() : Join.ALL_OF;
            members.add(new Member(name, work, join, false));
            for (var upstream : FlowGenerator.names(part.after())) {
                edges.add(
                        new Edge(
                                upstream,
                                name,
                                part.completion() ? Edge.On.COMPLETION : Edge.On.SUCCESS));
            }
        }
        var namespace = operation.parts().getFirst().work().lane().namespace();
        return FlowSubmission.of(namespace, "harness")
                .id(FlowId.of(cast.identity().minted(operation.number()).uuid()))
                .policy(FlowPolicy.DEFAULT.onFailure(operation.onFailure()))
                .graph(members, edges);
    }

    void cancel(Operation.CancelFlow operation) {
        var flows = cast.ledger().flows();
        if (!flows.isEmpty()) {
            var flow = List.of(flows.get(flows.size() - 1 - operation.flow() % flows.size()));
            var by = new Attribution(operation.actor(), "it seemed right");
            stage.call(
                    "cancel flow",
                    List.of(flow, operation.mode()),
                    store -> store.flows().cancel(flow, operation.mode(), by));
        }
    }
}
