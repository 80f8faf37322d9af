// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.support;

/** Names the SQLStates that the driver itself sets. All other SQLStates are the engine's. */
public final class SqlStates {
    public static final String WARNING = "01000";
    public static final String TOO_MANY_RESULTS = "0100E";
    public static final String NO_DATA = "02000";
    public static final String RESTRICTED_DATA_TYPE = "07006";
    public static final String CANNOT_CONNECT = "08001";
    public static final String CONNECTION_CLOSED = "08003";
    public static final String CONNECTION_REJECTED = "08004";
    public static final String CONNECTION_FAILURE = "08006";

    /** Transaction resolution unknown: the commit may or may not have happened. */
    public static final String OUTCOME_UNKNOWN = "08007";

    public static final String PROTOCOL_VIOLATION = "08P01";
    public static final String NOT_SUPPORTED = "0A000";
    public static final String CARDINALITY_VIOLATION = "21000";
    public static final String DATA_EXCEPTION = "22000";
    public static final String NUMBER_OUT_OF_RANGE = "22003";
    public static final String INVALID_DATETIME = "22007";
    public static final String INVALID_TIME_ZONE = "22009";
    public static final String INVALID_CHARACTER_VALUE = "22018";
    public static final String INVALID_PARAMETER = "22023";
    public static final String TYPE_MISMATCH = "2200G";
    public static final String INVALID_CURSOR_STATE = "24000";
    public static final String ACTIVE_TRANSACTION = "25001";
    public static final String NO_ACTIVE_TRANSACTION = "25P01";
    public static final String IN_FAILED_TRANSACTION = "25P02";
    /** The middleware accepts connections with TLS only. */
    public static final String TLS_REQUIRED = "28000";

    public static final String INVALID_AUTHORIZATION = "28000";
    public static final String INVALID_PASSWORD = "28P01";
    public static final String INVALID_SAVEPOINT = "3B000";

    /** The transaction was rolled back; the application may run the transaction again. */
    public static final String SERIALIZATION_FAILURE = "40001";

    /** The class of errors in a statement, among them names that are not there. */
    public static final String CLASS_OF_WRONG_SQL = "42";

    public static final String UNDEFINED_COLUMN = "42703";
    public static final String WRONG_OBJECT_TYPE = "42809";
    public static final String DATATYPE_MISMATCH = "42821";
    public static final String CANNOT_COERCE = "42846";
    public static final String OBJECT_NOT_IN_STATE = "55000";
    public static final String QUERY_CANCELED = "57014";

    /**
     * The statement was committed, but its result is lost. A class of its own, so that no connection pool and no retry
     * loop runs the statement again.
     */
    public static final String COMMITTED_WITHOUT_RESULT = "MM001";

    // SQLStates of ODBC, which the drivers of some engines use instead.

    public static final String WRONG_PARAMETER_COUNT = "07001";
    public static final String UNEXPECTED_ROWS = "01S03";
    public static final String COLUMN_NOT_FOUND = "42S22";
    public static final String GENERAL_ERROR = "S1000";
    public static final String ILLEGAL_ARGUMENT = "S1009";
    public static final String DRIVER_NOT_CAPABLE = "S1C00";

    private SqlStates() {}
}
