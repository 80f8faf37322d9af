package io.multimed.middleware.node.engine;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/** HikariCP throws a connection away after an error 0A000. For us it is an answer like any other: the engine, or a trigger, refuses a statement. */
public final class KeepAfterRefusal implements SQLExceptionOverride {
    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException failure) {
        return "0A000".equals(failure.getSQLState())
                ? SQLExceptionOverride.Override.DO_NOT_EVICT
                : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
}
