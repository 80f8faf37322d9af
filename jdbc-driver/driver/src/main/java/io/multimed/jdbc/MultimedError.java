// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Marks an exception that an engine or the middleware has reported. Each such exception is also a {@link
 * java.sql.SQLException}, of the class that the engine's own driver throws.
 */
public interface MultimedError {
    /** Returns the fields of the error beside its message. */
    EngineError error();

    /**
     * Returns the fields of the error that caused an exception, even if a framework has wrapped the exception: {@code
     * MultimedError.of(e).map(EngineError::constraint)}.
     *
     * @return empty if no cause of the exception is an error that an engine or the middleware has reported
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
