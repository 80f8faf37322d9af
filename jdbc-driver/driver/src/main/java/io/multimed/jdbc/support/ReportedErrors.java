// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.support;

import io.multimed.jdbc.EngineError;
import io.multimed.jdbc.MultimedError;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.Warning;
import java.sql.BatchUpdateException;
import java.sql.DataTruncation;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;

/**
 * Creates exceptions of JDBC that carry the fields of the reported error. JDBC's classes have no common base class with
 * room for the fields, so each class has a subclass here. Applications catch JDBC's class, and read the fields by
 * {@link MultimedError#of}.
 */
final class ReportedErrors {
    private ReportedErrors() {}

    /**
     * Returns the exception for one error: of the class that the engine's own driver throws, or, if that is not known,
     * of the class that JDBC has for the SQLState.
     */
    static SQLException of(Warning reported, String node) {
        EngineError error = new EngineError(node, reported.fields());
        String className = reported.fields().get(ErrorField.EXCEPTION);
        return className == null ? byState(reported, error) : byClass(className, reported, error);
    }

    /**
     * Returns the exception of the class that the engine's own driver throws; by the SQLState if the class is unknown
     * here.
     */
    private static SQLException byClass(String className, Warning reported, EngineError error) {
        return switch (className) {
            case "DataTruncation" -> new TruncationError(reported, error);
            case "SQLDataException" -> new DataError(reported, error);
            case "SQLFeatureNotSupportedException" -> new NotSupportedError(reported, error);
            case "SQLIntegrityConstraintViolationException" -> new IntegrityError(reported, error);
            case "SQLNonTransientConnectionException" -> new ConnectionError(reported, error);
            case "SQLNonTransientException" -> new NonTransientError(reported, error);
            case "SQLSyntaxErrorException" -> new SyntaxError(reported, error);
            case "SQLTimeoutException" -> new TimeoutError(reported, error);
            case "SQLTransactionRollbackException" -> new RollbackError(reported, error);
            case "SQLTransientConnectionException" -> new TransientConnectionError(reported, error);
            default -> byState(reported, error);
        };
    }

    /** Returns the exception of the class that JDBC has for the class of the SQLState. */
    private static SQLException byState(Warning reported, EngineError error) {
        if (reported.sqlState().equals(SqlStates.QUERY_CANCELED)) {
            return new TimeoutError(reported, error);
        }
        return switch (reported.sqlState().substring(0, 2)) {
            case "08" -> new ConnectionError(reported, error);
            case "0A" -> new NotSupportedError(reported, error);
            case "22" -> new DataError(reported, error);
            case "23" -> new IntegrityError(reported, error);
            case "28" -> new AuthorizationError(reported, error);
            case "40" -> new RollbackError(reported, error);
            case "42" -> new SyntaxError(reported, error);
            default -> new OtherError(reported, error);
        };
    }

    static final class ConnectionError extends SQLNonTransientConnectionException implements MultimedError {
        private final EngineError error;

        ConnectionError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class NotSupportedError extends SQLFeatureNotSupportedException implements MultimedError {
        private final EngineError error;

        NotSupportedError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class DataError extends SQLDataException implements MultimedError {
        private final EngineError error;

        DataError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class IntegrityError extends SQLIntegrityConstraintViolationException implements MultimedError {
        private final EngineError error;

        IntegrityError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class AuthorizationError extends SQLInvalidAuthorizationSpecException implements MultimedError {
        private final EngineError error;

        AuthorizationError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class RollbackError extends SQLTransactionRollbackException implements MultimedError {
        private final EngineError error;

        RollbackError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class SyntaxError extends SQLSyntaxErrorException implements MultimedError {
        private final EngineError error;

        SyntaxError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class TimeoutError extends SQLTimeoutException implements MultimedError {
        private final EngineError error;

        TimeoutError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class OtherError extends SQLException implements MultimedError {
        private final EngineError error;

        OtherError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class NonTransientError extends SQLNonTransientException implements MultimedError {
        private final EngineError error;

        NonTransientError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class TransientConnectionError extends SQLTransientConnectionException implements MultimedError {
        private final EngineError error;

        TransientConnectionError(Warning reported, EngineError error) {
            super(reported.message(), reported.sqlState(), reported.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    /**
     * Reports a value that did not fit. JDBC's class always has the SQLState 22001, and a message and an error code of
     * its own, which this class replaces by the reported ones.
     */
    static final class TruncationError extends DataTruncation implements MultimedError {
        private final EngineError error;
        private final String message;
        private final int code;

        TruncationError(Warning reported, EngineError error) {
            super(0, false, false, 0, 0);
            this.error = error;
            this.message = reported.message();
            this.code = reported.vendorCode();
        }

        @Override
        public String getMessage() {
            return message;
        }

        @Override
        public int getErrorCode() {
            return code;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class BatchError extends BatchUpdateException implements MultimedError {
        private final EngineError error;

        BatchError(ErrorReport report, long[] counts, SQLException cause) {
            super(report.message(), report.sqlState(), report.vendorCode(), counts, cause);
            this.error = new EngineError(report.node(), report.fields());
        }

        @Override
        public EngineError error() {
            return error;
        }
    }
}
