package io.flowfabric.core;

/** There is no such thing, or its retention has ended. */
public final class NotFound extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    private final String entity;
    private final String id;

    /** Says what kind of thing is missing, and which. */
    public NotFound(String entity, String id) {
        this(entity, id, "There is no %s %s: %s".formatted(entity, id, remedy(entity)));
    }

    private NotFound(String entity, String id, String message) {
        super(message);
        this.entity = entity;
        this.id = id;
    }

    /** Says that a budget does not count such a thing. */
    public static NotFound dimension(String budget, String dimension) {
        return new NotFound(
                "dimension of budget " + budget,
                dimension,
                "The budget %s has no dimension %s: define it with one, or correct the name."
                        .formatted(budget, dimension));
    }

    private static String remedy(String entity) {
        return switch (entity) {
            case "budget", "quota", "schedule" -> "define it in this namespace first.";
            case "session" -> "it was never opened, was closed, or has expired; open a new one.";
            case "lane" -> "nothing was ever submitted to it, and it was never configured.";
            default -> "it was never accepted, or its retention has ended.";
        };
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
