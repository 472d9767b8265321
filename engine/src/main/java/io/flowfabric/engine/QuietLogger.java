package io.flowfabric.engine;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;

/**
 * A logger for what keeps a worker alive: where the logger behind it throws, because its disk is
 * full or its configuration broken, the line is lost and the work goes on.
 */
public final class QuietLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    private final transient Logger log;

    QuietLogger(Logger log) {
        this.log = log;
        this.name = log.getName();
    }

    /** The logger of a class. */
    public static Logger of(Class<?> owner) {
        return new QuietLogger(LoggerFactory.getLogger(owner));
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        try {
            var line = log.atLevel(level).setMessage(message);
            if (arguments != null) {
                for (var argument : arguments) {
                    line = line.addArgument(argument);
                }
            }
            line.setCause(failure).log();
        } catch (RuntimeException | Error unheard) {
            // There is nothing left to tell it to.
        }
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    public boolean isTraceEnabled() {
        return log.isTraceEnabled();
    }

    @Override
    public boolean isDebugEnabled() {
        return log.isDebugEnabled();
    }

    @Override
    public boolean isInfoEnabled() {
        return log.isInfoEnabled();
    }

    @Override
    public boolean isWarnEnabled() {
        return log.isWarnEnabled();
    }

    @Override
    public boolean isErrorEnabled() {
        return log.isErrorEnabled();
    }
}
