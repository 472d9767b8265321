package io.flowfabric.testkit.harness;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.QuotaUse;

import java.util.List;

/** Where every run takes place: few enough of everything that things meet. */
final class Vocabulary {
    static final List<Namespace> NAMESPACES = List.of(Namespace.DEFAULT, new Namespace("tenant"));

    static final List<Lane> LANES =
            List.of(
                    new Lane(NAMESPACES.get(0), "mail"),
                    new Lane(NAMESPACES.get(0), "render"),
                    new Lane(NAMESPACES.get(0), "bulk"),
                    new Lane(NAMESPACES.get(1), "mail"),
                    new Lane(NAMESPACES.get(1), "bulk"));

    static final List<String> KINDS = List.of("letter", "picture", "report");

    static final List<String> COLOURS = List.of("red", "green");

    static final List<String> ABILITIES =
            List.of("gpu", "region=eu", "region=us", "torch=1.9", "torch=2.3.0-rc1", "torch=2.3.5");

    static final Capabilities EVERY_ABILITY = Capabilities.of(ABILITIES);

    /** All of them can be met, but not all by everybody. */
    static final List<Capabilities> NEEDS =
            List.of(
                    Capabilities.of("gpu"),
                    Capabilities.of("region=eu"),
                    Capabilities.of("gpu", "region=us"),
                    Capabilities.of("torch>=2.3"),
                    Capabilities.of("torch<2"),
                    Capabilities.of("torch>1.9", "torch<2.3"),
                    Capabilities.of("gpu", "torch<=2.3.5"));

    /** What work may count against; whether it is defined depends on the run. */
    static final List<QuotaUse> QUOTAS =
            List.of(
                    QuotaUse.of("post"),
                    QuotaUse.of("post", "ann"),
                    QuotaUse.of("post", "bo"),
                    QuotaUse.of("calls"));

    /** What work may draw on; the second is below the first. */
    static final List<String> BUDGETS = List.of("house", "team");

    /** What all of them count. */
    static final String TOKENS = "tokens";

    /** What work consists of. */
    static final List<String> STEPS = List.of("pay", "send", "file");

    /** Where work waits. */
    static final List<String> WAITPOINTS = List.of("boss", "bank", "shop");

    /** Who take turns, where a lane shares. */
    static final List<String> SHARES = List.of("ann", "bo", "cy");

    private Vocabulary() {}

    /** The names of the lanes of a namespace. */
    static List<String> lanesOf(Namespace namespace) {
        return LANES.stream()
                .filter(lane -> lane.namespace().equals(namespace))
                .map(Lane::name)
                .toList();
    }
}
