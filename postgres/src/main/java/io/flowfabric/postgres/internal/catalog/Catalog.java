package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.decision.Definitions;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The small tables that hot rows refer to by number: lanes, gates, terms.
 *
 * <p>Their rows never change what they stand for, and no number is given twice. Gates and meters
 * without work are removed in the end, so who uses a number has the store see that it is still
 * there: by the generation of the gates of a lane, or by a foreign key. Only what is committed is
 * remembered.
 */
public final class Catalog {
    /**
     * More of them than this, and somebody makes up policies by the minute; then reading them again
     * is the lesser evil.
     */
    private static final int REMEMBERED = 100_000;

    private final Map<Lane, Integer> laneNumbers = new ConcurrentHashMap<>();
    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();
    private final Map<Gate, Integer> gateNumbers = new ConcurrentHashMap<>();
    private final Map<Integer, Gate> gates = new ConcurrentHashMap<>();
    private final Map<Policy, Integer> termsNumbers = new ConcurrentHashMap<>();
    private final Map<Integer, Policy> terms = new ConcurrentHashMap<>();
    private final Map<Meter, Integer> meterNumbers = new ConcurrentHashMap<>();
    private final Map<Purse, List<BudgetDimension>> chains = new ConcurrentHashMap<>();
    private final Map<Integer, GatesOfLane> gatesOfLanes = new ConcurrentHashMap<>();

    /**
     * What work needs before it may start.
     *
     * @param timed whether an attempt can time out or stall
     * @param budgets those that it draws on; each execution says how much it reserves of them
     */
    public record Gate(
            String kind,
            Capabilities needs,
            boolean timed,
            SortedSet<QuotaUse> quotas,
            List<GateBudget> budgets,
            Metering metering) {
        byte[] digest() {
            var digest = Digest.of("gate").text(kind).number(needs.words().size());
            needs.words().forEach(digest::text);
            digest.number(timed ? 1 : 0).number(meters().size());
            meters().forEach(digest::number);
            // Two policies may come to the same, and are still to be read back as they were.
            budgets.forEach(budget -> digest.text(budget.write().toString()));
            metering.leads()
                    .forEach(lead -> digest.number(lead.reservation()).number(lead.meter()));
            return RowCodec.bytes(digest.done());
        }

        /** The numbers of what its quotas and budgets count it against. */
        public List<Integer> meters() {
            return metering.meters();
        }

        /** How many amounts an execution behind it reserves. */
        public int reservations() {
            return GateBudget.amountsOf(budgets);
        }

        /** The budgets of an execution behind it that reserves so much of them. */
        public SortedSet<BudgetUse> budgets(List<Long> reserve) {
            return GateBudget.uses(budgets, reserve);
        }
    }

    public record LaneGate(int lane, int gate) {}

    /** What counts together. */
    private record Meter(Namespace namespace, QuotaUse use) {}

    private record Purse(Namespace namespace, String budget) {}

    public @Nullable Integer lane(Lane lane) {
        return laneNumbers.get(lane);
    }

    public void remember(Lane lane, int number) {
        laneNumbers.put(lane, number);
        lanes.put(number, lane);
    }

    /** What is known of the gates of a lane. */
    public GatesOfLane gatesOf(int lane) {
        return gatesOfLanes.getOrDefault(lane, GatesOfLane.UNKNOWN);
    }

    /** Learns of gates that a lane had in a generation of them. */
    public void remember(int lane, long generation, Map<Integer, ReservedAmounts> reserved) {
        gatesOfLanes
                .merge(
                        lane,
                        new GatesOfLane(generation),
                        (known, other) -> known.generation() >= other.generation() ? known : other)
                .learn(generation, reserved);
    }

    /** Something that is remembered has been removed: all of it is to be looked up again. */
    public void forgetGates() {
        gatesOfLanes.clear();
        gateNumbers.clear();
        meterNumbers.clear();
    }

    /** The number of a gate, which is made if there is none. */
    public int gate(Jdbc db, Gate gate) {
        makeGates(db, List.of(gate));
        return Objects.requireNonNull(gateNumbers.get(gate));
    }

    /** Makes those gates that there are not, and remembers the numbers of all of them. */
    public void makeGates(Jdbc db, Collection<Gate> wanted) {
        var unknown = wanted.stream().filter(gate -> !gateNumbers.containsKey(gate)).toList();
        if (unknown.isEmpty()) {
            return;
        }
        var digests = new HashMap<ByteBuffer, Gate>();
        unknown.forEach(gate -> digests.put(ByteBuffer.wrap(gate.digest()), gate));
        var missing = new HashMap<>(digests);
        missing.keySet().removeAll(findGates(db, digests));
        if (!missing.isEmpty()) {
            var entries = List.copyOf(missing.entrySet());
            db.query("add_gates")
                    .texts("kinds", entries, e -> e.getValue().kind())
                    .texts("needs", entries, e -> literal(e.getValue().needs().words()))
                    .booleans("compares", entries, e -> e.getValue().needs().compare())
                    .booleans("timed", entries, e -> e.getValue().timed())
                    .texts("meters", entries, e -> RowCodec.array(e.getValue().meters()))
                    .texts(
                            "quotas",
                            entries,
                            e -> literal(e.getValue().quotas(), PolicyCodec::write))
                    .texts(
                            "budgets",
                            entries,
                            e -> literal(e.getValue().budgets(), GateBudget::write))
                    .texts("lead_froms", entries, e -> e.getValue().metering().leadFrom())
                    .texts("lead_tos", entries, e -> e.getValue().metering().leadTo())
                    .bytes("digests", entries, e -> e.getKey().array())
                    .update();
            findGates(db, missing);
        }
    }

    private Set<ByteBuffer> findGates(Jdbc db, Map<ByteBuffer, Gate> wanted) {
        trim(gateNumbers.keySet());
        var found = new HashSet<ByteBuffer>();
        db.query("gates_by_digest")
                .bytes("digests", wanted.keySet(), ByteBuffer::array)
                .each(
                        row -> {
                            var digest = ByteBuffer.wrap(row.bytes("digest"));
                            found.add(digest);
                            gateNumbers.put(
                                    Objects.requireNonNull(wanted.get(digest)), row.intValue("id"));
                        });
        return found;
    }

    private static String literal(Collection<String> words) {
        return literal(words, word -> word);
    }

    /** An array as the server reads it from text. */
    private static <T> String literal(Collection<T> items, Function<T, Object> element) {
        return items.stream()
                .map(item -> String.valueOf(element.apply(item)))
                .map(text -> '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** Makes the meters that these policies count against and that there are not, all at once. */
    public void makeMeters(Jdbc db, Namespace namespace, Collection<QuotaUse> uses) {
        var unknown =
                uses.stream()
                        .distinct()
                        .filter(use -> !meterNumbers.containsKey(new Meter(namespace, use)))
                        .toList();
        if (unknown.isEmpty()) {
            return;
        }
        trim(meterNumbers.keySet());
        for (String statement : List.of("add_meters", "meters_by_name")) {
            var query =
                    db.query(statement)
                            .set("namespace", namespace.name())
                            .texts("names", unknown, QuotaUse::quota)
                            .texts("keys", unknown, use -> use.key().orElse(""));
            if (statement.equals("add_meters")) {
                query.update();
            } else {
                query.each(
                        row ->
                                meterNumbers.put(
                                        new Meter(
                                                namespace, use(row.text("name"), row.text("key"))),
                                        row.intValue("id")));
            }
        }
    }

    /**
     * What a policy counts work of a namespace against; meters are made where there are none.
     *
     * @throws NotFound when it names a quota, a budget or a dimension that nobody defined
     */
    public Metering metering(Jdbc db, Namespace namespace, Policy policy) {
        var draft = new Metering.Draft();
        for (QuotaUse use : policy.quotas()) {
            draft.count(meter(db, namespace, use));
        }
        int reservation = 0;
        for (BudgetUse use : policy.budgets()) {
            var chain = chain(db, namespace, use);
            draft.count(chain);
            for (String dimension : use.reserve().keySet()) {
                draft.lead(++reservation, chain, dimension);
            }
        }
        return draft.done();
    }

    /**
     * A gate as it stands in a lane: with what the lane says for everything that starts from it.
     */
    public GateInLane within(Jdbc db, LaneView lane, Gate gate) {
        var settings = lane.settings();
        var namespace = lane.lane().namespace();
        var draft = Metering.Draft.of(gate.metering);
        var lanes = new TreeMap<String, Map<String, Long>>();
        settings.budgets().forEach(use -> lanes.put(use.budget(), new TreeMap<>(use.reserve())));
        var floors = new ArrayList<Long>();
        for (GateBudget budget : gate.budgets) {
            var floor = lanes.getOrDefault(budget.budget(), new TreeMap<>());
            budget.reserved()
                    .forEach(
                            dimension ->
                                    floors.add(
                                            Objects.requireNonNullElse(
                                                    floor.remove(dimension), 0L)));
        }
        for (String quota : settings.quotas()) {
            draft.count(meter(db, namespace, QuotaUse.of(quota)));
        }
        for (BudgetUse use : settings.budgets()) {
            var chain = chain(db, namespace, use);
            draft.count(chain);
            // What is left here the lane alone reserves.
            Objects.requireNonNull(lanes.get(use.budget()))
                    .forEach(
                            (dimension, amount) -> {
                                floors.add(amount);
                                draft.lead(floors.size(), chain, dimension);
                            });
        }
        return new GateInLane(draft.done(), floors);
    }

    /**
     * The number of what counts together, which is made if there is none.
     *
     * @throws NotFound when nobody defined the quota
     */
    public int meter(Jdbc db, Namespace namespace, QuotaUse use) {
        var meter = new Meter(namespace, use);
        var known = meterNumbers.get(meter);
        if (known != null) {
            return known;
        }
        int number =
                meterOf(db, namespace, use).orElseThrow(() -> new NotFound("quota", use.quota()));
        trim(meterNumbers.keySet());
        meterNumbers.put(meter, number);
        return number;
    }

    private List<BudgetDimension> chain(Jdbc db, Namespace namespace, BudgetUse use) {
        var key = new Purse(namespace, use.budget());
        var known = chains.get(key);
        var chain = known != null ? known : BudgetDimension.chain(db, namespace, use.budget());
        Definitions.mustCount(use.budget(), BudgetDimension.names(chain), use.reserve().keySet());
        trim(chains.keySet());
        chains.put(key, chain);
        return chain;
    }

    /** A quota was deleted: work that names it is to be refused. */
    public void forgetMeters(Namespace namespace, String quota) {
        meterNumbers
                .keySet()
                .removeIf(m -> m.namespace.equals(namespace) && m.use.quota().equals(quota));
    }

    /** The same, of a budget. */
    public void forgetBudget(Namespace namespace, String budget) {
        chains.remove(new Purse(namespace, budget));
    }

    /** The number of the shared part of a policy, which is made if there is none. */
    public int terms(Jdbc db, Policy policy) {
        var shared = policy.shared();
        var known = termsNumbers.get(shared);
        if (known != null) {
            return known;
        }
        var body = PolicyCodec.write(shared).toString();
        var found = db.query("policy_of").set("body", body).optional(row -> row.intValue("id"));
        if (found.isEmpty()) {
            db.query("add_policy")
                    .set("body", body)
                    .set(
                            "attempt_timeout",
                            policy.attemptTimeout().map(d -> d.toMillis()).orElse(null))
                    .set("stall_timeout", policy.stallTimeout().map(d -> d.toMillis()).orElse(null))
                    .set("retention", policy.retention().map(d -> d.toMillis()).orElse(null))
                    .update();
            return db.query("policy_of").set("body", body).one(row -> row.intValue("id"));
        }
        trim(termsNumbers.keySet());
        termsNumbers.put(shared, found.get());
        return found.get();
    }

    /** Makes sure that these lanes can be looked up by number. */
    public void loadLanes(Jdbc db, Collection<Integer> numbers) {
        var missing =
                numbers.stream().filter(number -> !lanes.containsKey(number)).distinct().toList();
        if (!missing.isEmpty()) {
            db.query("lanes")
                    .set("ids", missing.stream().mapToInt(i -> i).toArray())
                    .list(
                            row -> {
                                remember(
                                        new Lane(
                                                new Namespace(row.text("namespace")),
                                                row.text("name")),
                                        row.intValue("id"));
                                return row.intValue("id");
                            });
        }
    }

    public Lane lane(int number) {
        return Objects.requireNonNull(lanes.get(number), () -> "no lane has the number " + number);
    }

    /** Looks up gates by number. What cannot be read is left out. */
    public Map<Integer, Gate> gates(Jdbc db, Collection<Integer> numbers) {
        var missing =
                numbers.stream().filter(number -> !gates.containsKey(number)).distinct().toList();
        var found = new HashMap<Integer, Gate>();
        if (!missing.isEmpty()) {
            trim(gates.keySet());
            db.query("gates")
                    .set("ids", missing.stream().mapToInt(i -> i).toArray())
                    .list(
                            row -> {
                                try {
                                    found.put(row.intValue("id"), gate(row));
                                } catch (IllegalArgumentException | Invalid unreadable) {
                                    // Another version may know of needs that this one does not.
                                }
                                return row.intValue("id");
                            });
            gates.putAll(found);
        }
        return lookedUp(numbers, gates, found);
    }

    private static Gate gate(Row row) {
        var quotas = new TreeSet<QuotaUse>();
        for (String use : row.texts("quotas")) {
            quotas.add(PolicyCodec.quotaUse(Json.parse(use)));
        }
        return new Gate(
                row.text("kind"),
                Capabilities.of(List.of(row.texts("needs"))),
                row.bool("timed"),
                quotas,
                Stream.of(row.texts("budgets")).map(Json::parse).map(GateBudget::read).toList(),
                Metering.read(row));
    }

    /**
     * Looks up policies by number, without what differs between executions. What cannot be read is
     * left out.
     */
    public Map<Integer, Policy> terms(Jdbc db, Collection<Integer> numbers) {
        var missing =
                numbers.stream().filter(number -> !terms.containsKey(number)).distinct().toList();
        var found = new HashMap<Integer, Policy>();
        if (!missing.isEmpty()) {
            trim(terms.keySet());
            db.query("policy")
                    .set("ids", missing.stream().mapToInt(i -> i).toArray())
                    .list(
                            row -> {
                                try {
                                    found.put(
                                            row.intValue("id"),
                                            PolicyCodec.read(Json.parseObject(row.text("body"))));
                                } catch (RuntimeException unreadable) {
                                    // Whoever needs them finds that they are not there, and says
                                    // which execution it is.
                                }
                                return row.intValue("id");
                            });
            terms.putAll(found);
        }
        return lookedUp(numbers, terms, found);
    }

    private static <T> Map<Integer, T> lookedUp(
            Collection<Integer> numbers, Map<Integer, T> known, Map<Integer, T> found) {
        var all = new LinkedHashMap<Integer, T>();
        for (Integer number : Set.copyOf(numbers)) {
            var value = found.getOrDefault(number, known.get(number));
            if (value != null) {
                all.put(number, value);
            }
        }
        return all;
    }

    private static void trim(Set<?> remembered) {
        if (remembered.size() >= REMEMBERED) {
            remembered.clear();
        }
    }

    public static QuotaUse use(String quota, String key) {
        return new QuotaUse(quota, Optional.of(key).filter(k -> !k.isEmpty()));
    }

    private static Optional<Integer> existingMeter(Jdbc db, Namespace namespace, QuotaUse use) {
        return db.query("meter_of")
                .set("namespace", namespace.name())
                .set("name", use.quota())
                .set("key", use.key().orElse(""))
                .optional(row -> row.intValue("id"));
    }

    /** The number of a meter, which is made if there is none; nothing without its quota. */
    private static Optional<Integer> meterOf(Jdbc db, Namespace namespace, QuotaUse use) {
        var found = existingMeter(db, namespace, use);
        if (found.isPresent()) {
            return found;
        }
        db.query("add_meter")
                .set("namespace", namespace.name())
                .set("name", use.quota())
                .set("key", use.key().orElse(""))
                .update();
        return existingMeter(db, namespace, use);
    }
}
