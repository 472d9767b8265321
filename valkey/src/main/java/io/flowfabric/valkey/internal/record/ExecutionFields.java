package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.decision.LeaseStanding;
import io.flowfabric.core.decision.LeaseStanding.GivenUp;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.valkey.internal.wire.Item;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * How an execution stands, as it is stored. The places of its fields are those of {@code
 * constants.lua}, less one.
 *
 * @param packed all of it, to be compared when something is decided by it
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by the server alone.
public record ExecutionFields(UUID uuid, Item fields, byte[] packed) {
    public static ExecutionFields read(UUID uuid, byte[] packed) {
        return new ExecutionFields(uuid, ExecutionLayout.read(packed), packed);
    }

    public ExecutionId id() {
        return new ExecutionId(new Partition(fields.at(27).small()), uuid);
    }

    public Situation situation() {
        return Codes.SITUATIONS.word(fields.at(0));
    }

    public LeasePurpose next() {
        return Codes.PURPOSES.word(fields.at(1));
    }

    public int lane() {
        return fields.at(2).small();
    }

    public int gate() {
        return fields.at(3).small();
    }

    public long sequence() {
        return fields.at(4).number();
    }

    public Instant submitted() {
        return fields.at(5).moment();
    }

    public Instant changed() {
        return fields.at(6).moment();
    }

    public int priority() {
        return fields.at(7).small();
    }

    public int attempts() {
        return fields.at(9).small();
    }

    public long epoch() {
        return fields.at(10).number();
    }

    public int retries() {
        return fields.at(11).small();
    }

    public int reclaims() {
        return fields.at(12).small();
    }

    public int replays() {
        return fields.at(13).small();
    }

    public Optional<Instant> deadline() {
        return fields.at(14).optional(Item::moment);
    }

    public Optional<SessionId> session() {
        return fields.at(17).optional(id -> new SessionId(id.uuid()));
    }

    public Instant since() {
        return fields.at(18).moment();
    }

    public Optional<Instant> progressAt() {
        return fields.at(24).optional(Item::moment);
    }

    /** Which entries of the log are about it: how often some were moved, and the last of them. */
    public byte[] steps() {
        return fields.at(28).bytes();
    }

    /** How large its recorded steps are together; nothing when there are none. */
    public Optional<Long> stepBytes() {
        return fields.at(29).optional(recorded -> recorded.at(1).number());
    }

    /** How many steps were recorded of it. */
    public int stepCount() {
        return fields.at(29).optional(recorded -> recorded.at(0).small()).orElse(0);
    }

    /** Which member of which flow it is, if it is one. */
    public Optional<MemberPlace> member() {
        return fields.at(33)
                .optional(
                        packed -> {
                            var in = ByteBuffer.wrap(packed.bytes());
                            return new MemberPlace(
                                    new UUID(in.getLong(), in.getLong()), in.getInt());
                        });
    }

    /**
     * Which member of which flow an execution is.
     *
     * @param flow the UUID of the flow
     */
    public record MemberPlace(UUID flow, int number) {}

    /** Whether a fence allows writing, as long as its session lives. */
    public boolean isHeldBy(Fence fence) {
        return situation() == Situation.RUNNING
                && fence.attempt() == attempts() - 1
                && fence.epoch() == epoch();
    }

    /** How it stands for a worker whose fence does not hold. */
    public LeaseStanding standing() {
        return new LeaseStanding(
                id(),
                attempts(),
                epoch(),
                situation().publicState(),
                fields.at(21).optional(ExecutionFields::givenUp));
    }

    /** When its worker last reported progress, or recorded a step. */
    private Optional<Instant> lastProgress() {
        return Stream.concat(
                        progressAt().stream(),
                        fields.at(29).optional(recorded -> recorded.at(2).moment()).stream())
                .max(Comparator.naturalOrder());
    }

    /**
     * What it is.
     *
     * @param words why it is held back, if it is
     */
    public ExecutionState state(Optional<String> words) {
        var situation = situation();
        return switch (situation) {
            case READY -> new Ready(next());
            case DELAYED, BACKING_OFF, RESUMING_LATER -> delayed();
            case HELD_BY_OPERATOR ->
                    new Blocked(
                            BlockedBy.OPERATOR,
                            words.orElse(""),
                            fields.at(15).isAbsent() ? new Ready(next()) : delayed());
            case AWAITING_CHILDREN ->
                    new Blocked(
                            BlockedBy.DEPENDENCIES,
                            words.orElse(FlowAcceptance.WAITS),
                            fields.at(15).isAbsent() ? new Ready(next()) : delayed());
            case GRANTED -> new Granted(next(), session().orElseThrow(), fields.at(15).moment());
            case RUNNING -> new Running(session().orElseThrow(), since());
            case COMPLETED, FAILED, CANCELLED, EXPIRED, SKIPPED -> finished(situation);
            case SUSPENDED -> suspended();
            case SHORT_OF_BUDGET, OVER_QUOTA, WITHOUT_WORKER, LANE_CLOSED ->
                    throw Item.unreadable("nothing stores " + situation);
        };
    }

    private Waiting delayed() {
        return new Delayed(next(), fields.at(15).moment(), Codes.DELAYS.word(fields.at(16)));
    }

    private Suspended suspended() {
        return new Suspended(
                Codes.SUSPENSIONS.word(fields.at(30).at(0)),
                fields.at(30).at(1).moment(),
                fields.at(15).optional(Item::moment));
    }

    private Finished finished(Situation situation) {
        var outcome =
                Stream.of(Outcome.values())
                        .filter(one -> one.situation() == situation)
                        .findFirst()
                        .orElseThrow();
        var attempt = outcome.attemptAtTheEnd(attempts() > 0, new Ready(next()).attempt());
        return new Finished(outcome, changed(), attempt);
    }

    public Facts facts(Policy policy, Optional<String> words) {
        return new Facts(
                id(),
                policy,
                state(words),
                priority(),
                attempts(),
                retries(),
                reclaims(),
                replays(),
                deadline(),
                lastProgress());
    }

    /** How it stands for a worker whose fence does not hold, as {@code lease.lua} tells it. */
    public static LeaseStanding standing(UUID uuid, Item told) {
        var situation = Codes.SITUATIONS.word(told.at(4));
        return new LeaseStanding(
                new ExecutionId(new Partition(told.at(1).small()), uuid),
                told.at(2).small(),
                told.at(3).number(),
                situation.publicState(),
                told.at(6).optional(ExecutionFields::givenUp));
    }

    /** The lease that its holder has ended, as {@code records.lua} writes it. */
    private static GivenUp givenUp(Item told) {
        var in = ByteBuffer.wrap(told.bytes());
        long epoch = ExecutionLayout.unsigned(in, 6);
        var digest = new byte[Item.DIGEST_BYTES];
        in.get(digest);
        var step = Codes.STEPS.word(new Item.Whole(in.get()));
        return new GivenUp(
                epoch,
                new Item.Bytes(digest).digest(),
                new Ended(
                        step,
                        in.hasRemaining()
                                ? Optional.of(Instant.ofEpochMilli(in.getLong()))
                                : Optional.empty()));
    }
}
