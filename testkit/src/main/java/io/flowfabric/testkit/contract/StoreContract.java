package io.flowfabric.testkit.contract;

import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Nested;

/**
 * What every store is held to, one nested class for each family of rules.
 *
 * <p>A store's own tests extend this class and say how a fresh store is opened; every rule then
 * runs against it, unchanged.
 */
public abstract class StoreContract {
    /** For the tests of a store, which extend this class. */
    protected StoreContract() {}

    /** A fresh, empty store for one test, which closes it. */
    protected abstract StoreFixture open();

    @Nested
    class Submitting extends SubmittingRules {
        Submitting() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class UsingKeys extends KeyUseRules {
        UsingKeys() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Fencing extends FencingRules {
        Fencing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Repeating extends RepeatingRules {
        Repeating() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class ClaimingAgain extends ClaimingAgainRules {
        ClaimingAgain() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Living extends SessionRules {
        Living() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Remembering extends RememberingRules {
        Remembering() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Moments extends MomentRules {
        Moments() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Dying extends DyingRules {
        Dying() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Registry extends RegistryRules {
        Registry() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Registering extends RegisteringRules {
        Registering() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class MarkingDead extends MarkingDeadRules {
        MarkingDead() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Stalling extends StallingRules {
        Stalling() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Checkpoints extends CheckpointRules {
        Checkpoints() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class KeepingSteps extends StepKeepingRules {
        KeepingSteps() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowSubmissions extends FlowSubmittingRules {
        FlowSubmissions() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowProgress extends FlowProgressRules {
        FlowProgress() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowCancelling extends FlowCancellingRules {
        FlowCancelling() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowExtending extends FlowExtendingRules {
        FlowExtending() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowReplaying extends FlowReplayingRules {
        FlowReplaying() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowAwaiting extends FlowAwaitingRules {
        FlowAwaiting() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowReading extends FlowReadingRules {
        FlowReading() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class UpstreamsWithLeases extends LeasedUpstreamRules {
        UpstreamsWithLeases() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class FlowExplaining extends FlowExplainingRules {
        FlowExplaining() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class RandomFlows extends RandomFlowRules {
        RandomFlows() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Suspending extends SuspendingRules {
        Suspending() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Appending extends AppendRules {
        Appending() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class WaitTimeouts extends WaitTimeoutRules {
        WaitTimeouts() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Summarising extends SummaryRules {
        Summarising() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Signalling extends SignallingRules {
        Signalling() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class ReadingStreams extends StreamRules {
        ReadingStreams() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class WaitpointTokens extends WaitpointTokenRules {
        WaitpointTokens() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class RacingWaits extends WaitRacingRules {
        RacingWaits() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Tailing extends TailRules {
        Tailing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Ending extends EndingRules {
        Ending() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Replaying extends ReplayingRules {
        Replaying() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Cancelling extends CancellingRules {
        Cancelling() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Retrying extends RetryingRules {
        Retrying() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Expiring extends ExpiringRules {
        Expiring() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Ordering extends OrderingRules {
        Ordering() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Sharing extends SharingRules {
        Sharing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class LaneAdmission extends LaneAdmissionRules {
        LaneAdmission() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Matching extends MatchingRules {
        Matching() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Capable extends CapabilityRules {
        Capable() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Routing extends RoutingRules {
        Routing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Explaining extends ExplainingRules {
        Explaining() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class ExplainingQuotas extends ExplainingQuotasRules {
        ExplainingQuotas() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Queueing extends QueueingRules {
        Queueing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Lanes extends LaneRules {
        Lanes() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Feeding extends FeedingRules {
        Feeding() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Following extends FollowingRules {
        Following() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Filtering extends FilteringRules {
        Filtering() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Carrying extends CarryingRules {
        Carrying() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Validating extends ValidatingRules {
        Validating() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Reading extends ReadingRules {
        Reading() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Budgets extends BudgetRules {
        Budgets() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class UsageBatches extends UsageBatchRules {
        UsageBatches() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Reserving extends ReservingRules {
        Reserving() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class BeingShut extends ShutRules {
        BeingShut() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Breaching extends BreachingRules {
        Breaching() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class ExplainingBudgets extends ExplainingBudgetsRules {
        ExplainingBudgets() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Quotas extends QuotaRules {
        Quotas() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Recounting extends RecountingRules {
        Recounting() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Narrowing extends NarrowingRules {
        Narrowing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Opening extends OpeningRules {
        Opening() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Filling extends FillingRules {
        Filling() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Namespaces extends NamespaceRules {
        Namespaces() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Searching extends SearchingRules {
        Searching() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Retaining extends RetainingRules {
        Retaining() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Erasing extends ErasingRules {
        Erasing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class PassingOver extends PassingOverRules {
        PassingOver() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Granting extends GrantingRules {
        Granting() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Redeeming extends RedeemingRules {
        Redeeming() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Reclaiming extends ReclaimGrantRules {
        Reclaiming() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Signing extends SigningRules {
        Signing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Operating extends OperatingRules {
        Operating() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Pausing extends PausingRules {
        Pausing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Situations extends SituationRules {
        Situations() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Scheduling extends SchedulingRules {
        Scheduling() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Firing extends FiringRules {
        Firing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class TakingTurns extends TurnRules {
        TakingTurns() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Time extends TimeRules {
        Time() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Waking extends WakingRules {
        Waking() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Closing extends ClosingRules {
        Closing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class Racing extends RacingRules {
        Racing() {
            super(StoreContract.this::open);
        }
    }

    @Nested
    class GrantRacing extends GrantRacingRules {
        GrantRacing() {
            super(StoreContract.this::open);
        }
    }
}
