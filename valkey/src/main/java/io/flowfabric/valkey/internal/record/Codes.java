package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.List;

/**
 * The numbers by which words are stored. A number that was given once means the same for ever: new
 * words are added at the end.
 */
public final class Codes<T> {
    public static final Codes<Situation> SITUATIONS =
            new Codes<>(
                    List.of(
                            Situation.READY,
                            Situation.DELAYED,
                            Situation.BACKING_OFF,
                            Situation.RESUMING_LATER,
                            Situation.AWAITING_CHILDREN,
                            Situation.HELD_BY_OPERATOR,
                            Situation.GRANTED,
                            Situation.RUNNING,
                            Situation.SUSPENDED,
                            Situation.COMPLETED,
                            Situation.FAILED,
                            Situation.CANCELLED,
                            Situation.EXPIRED,
                            Situation.SKIPPED));

    public static final Codes<LeasePurpose> PURPOSES =
            new Codes<>(
                    List.of(
                            LeasePurpose.FIRST,
                            LeasePurpose.RETRY,
                            LeasePurpose.REPLAY,
                            LeasePurpose.CONTINUE,
                            LeasePurpose.RECLAIM));

    public static final Codes<DelayedBy> DELAYS =
            new Codes<>(List.of(DelayedBy.REQUEST, DelayedBy.BACKOFF, DelayedBy.RESUMPTION));

    public static final Codes<FrameMode> FRAME_MODES =
            new Codes<>(List.of(FrameMode.DURABLE, FrameMode.LIVE, FrameMode.SUMMARY));

    public static final Codes<Transition> STEPS =
            new Codes<>(
                    List.of(
                            Transition.SUBMIT,
                            Transition.WAKE,
                            Transition.CLAIM,
                            Transition.RECLAIM,
                            Transition.GRANT,
                            Transition.REDEEM,
                            Transition.FORFEIT,
                            Transition.COMPLETE,
                            Transition.RETRY,
                            Transition.FAIL,
                            Transition.DELAY,
                            Transition.RELEASE,
                            Transition.SUSPEND,
                            Transition.AWAIT,
                            Transition.LAPSE,
                            Transition.REVOKE,
                            Transition.RESUME,
                            Transition.SATISFY,
                            Transition.PAUSE,
                            Transition.REPRIORITISE,
                            Transition.CANCEL,
                            Transition.EXPIRE,
                            Transition.SKIP,
                            Transition.REPLAY,
                            Transition.ESCALATE));

    public static final Codes<SuspendedFor> SUSPENSIONS =
            new Codes<>(
                    List.of(
                            SuspendedFor.WAITING_FOR_SIGNAL,
                            SuspendedFor.WAITING_FOR_APPROVAL,
                            SuspendedFor.WAITING_FOR_CALLBACK,
                            SuspendedFor.WAITING_FOR_TOOL_RESULT,
                            SuspendedFor.WAITING_FOR_OPERATOR_REVIEW,
                            SuspendedFor.PAUSED_BY_POLICY,
                            SuspendedFor.PAUSED_BY_BUDGET,
                            SuspendedFor.STEP_BOUNDARY,
                            SuspendedFor.MANUAL_PAUSE));

    public static final Codes<Delivery.Effect> EFFECTS =
            new Codes<>(
                    List.of(
                            Delivery.Effect.KEPT,
                            Delivery.Effect.COUNTED,
                            Delivery.Effect.RESUMED));

    public static final Codes<LaneSettings.State> LANE_STATES =
            new Codes<>(
                    List.of(
                            LaneSettings.State.ACTIVE,
                            LaneSettings.State.PAUSED,
                            LaneSettings.State.DRAINING,
                            LaneSettings.State.DISABLED));

    private final List<T> words;

    private Codes(List<T> words) {
        this.words = words;
    }

    /** The number of a word. */
    public int of(T word) {
        int number = words.indexOf(word);
        if (number < 0) {
            throw new IllegalArgumentException(word + " is not stored");
        }
        return number;
    }

    /** The word of a number. */
    public T word(Item number) {
        int at = number.small();
        if (at < 0 || at >= words.size()) {
            throw Item.unreadable("no word has the number " + at);
        }
        return words.get(at);
    }

    /** All words, in the order of their numbers. */
    public List<T> words() {
        return words;
    }
}
