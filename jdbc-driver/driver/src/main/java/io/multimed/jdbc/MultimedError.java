package io.multimed.jdbc;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An exception that was reported by the other side: all that the driver throws for errors of an engine or of the middleware are both this and a {@link java.sql.SQLException}. */
public interface MultimedError {
    /** What was said of it beside its message. */
    EngineError error();

    /**
     * What was said of the error that led to an exception, whatever a framework put around it: {@code MultimedError.of(e).map(EngineError::constraint)}.
     *
     * @return empty if no error of ours is among its causes
     */
    static Optional<EngineError> of(@Nullable Throwable exception) {
        Throwable cause = exception;
        for (int depth = 0; cause != null && depth < 100; depth++) {
            if (cause instanceof MultimedError found) {
                return Optional.of(found.error());
            }
            cause = cause.getCause();
        }
        return Optional.empty();
    }
}
