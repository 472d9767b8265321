package io.flowfabric.worker;

import io.flowfabric.core.Failure;

/** Thrown by a handler to say what kind of failure it is, for the retry policy to decide on. */
public class TaskFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String category;

    /**
     * @param category one of the words of {@link Failure}, or the caller's own
     * @throws io.flowfabric.core.Invalid when the category is no name
     */
    public TaskFailure(String category, String message) {
        super(message);
        this.category = checked(category);
    }

    /** The same, with what caused it. */
    public TaskFailure(String category, String message, Throwable cause) {
        super(message, cause);
        this.category = checked(category);
    }

    /** A failure that would be the same again, so that there is no retry. */
    public static TaskFailure permanent(String message) {
        return new TaskFailure(Failure.PERMANENT, message);
    }

    public String category() {
        return category;
    }

    private static String checked(String category) {
        return Failure.of(category, "").category();
    }
}
