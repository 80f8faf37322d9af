// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.session.SessionContext;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** Shows a connection to its result sets. */
public interface ResultContext extends SessionContext {
    /** Returns how the engine's own driver behaves. */
    DriverBehavior behavior();

    /** Returns the conversions that getters use. */
    ResultConversions conversions();

    /** Returns the engine's catalog, in which updatable results find the key of their table. */
    DatabaseMetaData getMetaData() throws SQLException;
}
