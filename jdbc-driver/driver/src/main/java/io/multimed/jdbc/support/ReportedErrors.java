package io.multimed.jdbc.support;

import io.multimed.jdbc.EngineError;
import io.multimed.jdbc.MultimedError;
import io.multimed.protocol.ErrorReport;
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

/** The exceptions of JDBC, each with what the other side said of the error. */
final class ReportedErrors {
    private static final String CANCELLED = SqlStates.CANCELLED;

    private ReportedErrors() {}

    /** One error, in the class that the engine's own driver throws, or else that JDBC has for its SQLState. */
    static SQLException of(Warning said, String node) {
        EngineError error = new EngineError(node, said.fields());
        String thrown = said.fields().get(ErrorField.EXCEPTION);
        return thrown == null ? byState(said, error) : byClass(thrown, said, error);
    }

    private static SQLException byClass(String thrown, Warning said, EngineError error) {
        return switch (thrown) {
            case "DataTruncation" -> new TruncationError(said, error);
            case "SQLDataException" -> new DataError(said, error);
            case "SQLFeatureNotSupportedException" -> new NotSupportedError(said, error);
            case "SQLIntegrityConstraintViolationException" -> new IntegrityError(said, error);
            case "SQLNonTransientConnectionException" -> new ConnectionError(said, error);
            case "SQLNonTransientException" -> new LastingError(said, error);
            case "SQLSyntaxErrorException" -> new SyntaxError(said, error);
            case "SQLTimeoutException" -> new TimeoutError(said, error);
            case "SQLTransactionRollbackException" -> new RollbackError(said, error);
            case "SQLTransientConnectionException" -> new PassingConnectionError(said, error);
            default -> byState(said, error);
        };
    }

    private static SQLException byState(Warning said, EngineError error) {
        if (said.sqlState().equals(CANCELLED)) {
            return new TimeoutError(said, error);
        }
        return switch (said.sqlState().substring(0, 2)) {
            case "08" -> new ConnectionError(said, error);
            case "0A" -> new NotSupportedError(said, error);
            case "22" -> new DataError(said, error);
            case "23" -> new IntegrityError(said, error);
            case "28" -> new AuthorizationError(said, error);
            case "40" -> new RollbackError(said, error);
            case "42" -> new SyntaxError(said, error);
            default -> new OtherError(said, error);
        };
    }

    static final class ConnectionError extends SQLNonTransientConnectionException implements MultimedError {
        private final EngineError error;

        ConnectionError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class NotSupportedError extends SQLFeatureNotSupportedException implements MultimedError {
        private final EngineError error;

        NotSupportedError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class DataError extends SQLDataException implements MultimedError {
        private final EngineError error;

        DataError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class IntegrityError extends SQLIntegrityConstraintViolationException implements MultimedError {
        private final EngineError error;

        IntegrityError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class AuthorizationError extends SQLInvalidAuthorizationSpecException implements MultimedError {
        private final EngineError error;

        AuthorizationError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class RollbackError extends SQLTransactionRollbackException implements MultimedError {
        private final EngineError error;

        RollbackError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class SyntaxError extends SQLSyntaxErrorException implements MultimedError {
        private final EngineError error;

        SyntaxError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class TimeoutError extends SQLTimeoutException implements MultimedError {
        private final EngineError error;

        TimeoutError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class OtherError extends SQLException implements MultimedError {
        private final EngineError error;

        OtherError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class LastingError extends SQLNonTransientException implements MultimedError {
        private final EngineError error;

        LastingError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    static final class PassingConnectionError extends SQLTransientConnectionException implements MultimedError {
        private final EngineError error;

        PassingConnectionError(Warning said, EngineError error) {
            super(said.message(), said.sqlState(), said.vendorCode());
            this.error = error;
        }

        @Override
        public EngineError error() {
            return error;
        }
    }

    /** A value did not fit: the state is always 22001, and the message that class's own. */
    static final class TruncationError extends DataTruncation implements MultimedError {
        private final EngineError error;
        private final String message;
        private final int code;

        TruncationError(Warning said, EngineError error) {
            super(0, false, false, 0, 0);
            this.error = error;
            this.message = said.message();
            this.code = said.vendorCode();
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
