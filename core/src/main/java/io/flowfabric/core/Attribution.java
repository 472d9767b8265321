package io.flowfabric.core;

/** Who did it, and why: every act without a fence names both. */
public record Attribution(String actor, String reason) {
    /** The name under which the engine acts. */
    public static final String ENGINE = "engine";

    /** The engine, because a lease was lost once more than the policy allows. */
    public static final Attribution RECLAIMS_EXHAUSTED = engine("max_reclaims_exceeded");

    public Attribution {
        Text.name("actor", actor, Limit.NAME_BYTES);
        Text.name("reason", reason, Limit.MESSAGE_BYTES);
    }

    /** The engine itself, because time passed. */
    public static Attribution engine(String reason) {
        return new Attribution(ENGINE, reason);
    }

    /**
     * Refuses the name of the engine to operators: what an operator did under that name would be
     * missing from the topic of operations.
     *
     * @throws Invalid when this is the engine's name
     */
    public void mustBeOperator() {
        if (!isOperator()) {
            throw new Invalid(
                    Invalid.Code.RESERVED,
                    "actor",
                    "'%s' is how the engine itself signs; sign with another name."
                            .formatted(ENGINE));
        }
    }

    /** Whether a person or a program outside did it. */
    public boolean isOperator() {
        return !actor.equals(ENGINE);
    }
}
