package io.flowfabric.core;

/** There is no such thing, or its retention has ended. */
public final class NotFound extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    private final String entity;
    private final String id;

    /** Says what kind of thing is missing, and which. */
    public NotFound(String entity, String id) {
        super(
                "There is no %s %s: it was never accepted, or its retention has ended."
                        .formatted(entity, id));
        this.entity = entity;
        this.id = id;
    }

    /** What kind of thing was asked for: {@code execution}, {@code session}, {@code lane}. */
    public String entity() {
        return entity;
    }

    /** The id that was asked for. */
    public String id() {
        return id;
    }

    @Override
    public Advice advice() {
        return Advice.CHANGE_THE_REQUEST;
    }
}
