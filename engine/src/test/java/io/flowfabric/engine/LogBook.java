package io.flowfabric.engine;

import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A logger that keeps what it is told, at every level. */
public final class LogBook extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    public record Line(Level level, String text, @Nullable Throwable failure) {}

    private final transient List<Line> lines = new CopyOnWriteArrayList<>();

    public LogBook() {
        name = "a log book";
    }

    public List<Line> lines() {
        return List.copyOf(lines);
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        var text = MessageFormatter.basicArrayFormat(message, arguments);
        lines.add(new Line(level, text, failure));
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    public boolean isTraceEnabled() {
        return true;
    }

    @Override
    public boolean isDebugEnabled() {
        return true;
    }

    @Override
    public boolean isInfoEnabled() {
        return true;
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }
}
