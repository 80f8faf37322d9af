package io.multimed.jdbc.result;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.session.SessionContext;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** A connection as its result sets see it. */
public interface ResultContext extends SessionContext {
    /** Returns how the engine's own driver behaves. */
    DriverBehavior manners();

    /** Returns the conversions of values that getters use. */
    ResultConversions conversions();

    /** Returns the engine's catalog, in which updatable results find the key of their table. */
    DatabaseMetaData getMetaData() throws SQLException;
}
