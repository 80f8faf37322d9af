package io.multimed.jdbc;

/** The SQLStates that the driver itself gives; all others are the engine's. */
final class SqlStates {
    static final String WARNING = "01000";
    static final String CANNOT_CONNECT = "08001";
    static final String CONNECTION_CLOSED = "08003";
    static final String CONNECTION_FAILED = "08006";
    static final String OUTCOME_UNKNOWN = "08007";
    static final String PROTOCOL = "08P01";
    static final String NOT_SUPPORTED = "0A000";
    static final String WRONG_PARAMETER = "22023";
    static final String WRONG_OUT_TYPE = "2200G";
    static final String OUT_OF_RANGE = "22003";
    static final String DATA_ERROR = "22000";
    static final String CANNOT_CONVERT = "22018";
    static final String WRONG_DATE = "22007";
    static final String WRONG_ZONE = "22009";
    static final String WRONG_TYPE = "42821";
    static final String CANNOT_CAST = "42846";
    static final String NO_SUCH_CONVERSION = "07006";
    static final String WRONG_STATE = "24000";
    static final String TRANSACTION_ACTIVE = "25001";
    static final String NO_TRANSACTION = "25P01";
    static final String FAILED_TRANSACTION = "25P02";
    static final String ROLLED_BACK = "40001";
    static final String NO_SAVEPOINT = "3B000";
    static final String WRONG_OBJECT = "42809";
    static final String NO_SUCH_COLUMN = "42703";
    static final String OBJECT_CLOSED = "55000";
    static final String PASSWORD_MISSING = "28P01";
    static final String CANCELLED = "57014";
    static final String NO_DATA = "02000";

    /** Of our own class: no pool and no retry loop takes it for something that can be tried again. */
    static final String COMMITTED_WITHOUT_RESULT = "MM001";

    static final String TOO_MANY_RESULTS = "0100E";

    private SqlStates() {}
}
