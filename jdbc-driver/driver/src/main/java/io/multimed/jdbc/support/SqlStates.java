package io.multimed.jdbc.support;

/** The SQLStates that the driver itself gives; all others are the engine's. */
public final class SqlStates {
    public static final String WARNING = "01000";
    public static final String CANNOT_CONNECT = "08001";
    public static final String CONNECTION_CLOSED = "08003";
    public static final String CONNECTION_FAILED = "08006";
    public static final String OUTCOME_UNKNOWN = "08007";
    public static final String PROTOCOL = "08P01";
    public static final String NOT_SUPPORTED = "0A000";
    public static final String WRONG_PARAMETER = "22023";
    public static final String WRONG_OUT_TYPE = "2200G";
    public static final String OUT_OF_RANGE = "22003";
    public static final String DATA_ERROR = "22000";
    public static final String CANNOT_CONVERT = "22018";
    public static final String WRONG_DATE = "22007";
    public static final String WRONG_ZONE = "22009";
    public static final String WRONG_TYPE = "42821";
    public static final String CANNOT_CAST = "42846";
    public static final String NO_SUCH_CONVERSION = "07006";
    public static final String WRONG_STATE = "24000";
    public static final String TRANSACTION_ACTIVE = "25001";
    public static final String NO_TRANSACTION = "25P01";
    public static final String FAILED_TRANSACTION = "25P02";
    public static final String ROLLED_BACK = "40001";
    public static final String NO_SAVEPOINT = "3B000";
    public static final String WRONG_OBJECT = "42809";
    public static final String NO_SUCH_COLUMN = "42703";
    public static final String OBJECT_CLOSED = "55000";
    public static final String PASSWORD_MISSING = "28P01";
    public static final String CANCELLED = "57014";
    public static final String NO_DATA = "02000";

    /** Of our own class: no pool and no retry loop takes it for something that can be tried again. */
    public static final String COMMITTED_WITHOUT_RESULT = "MM001";

    public static final String TOO_MANY_RESULTS = "0100E";

    private SqlStates() {}
}
