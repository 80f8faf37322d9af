// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Gets and sets the catalog and the schema of one connection, as the engine's own driver does. One of the two has no
 * effect on most engines: a connection either stays in its database, or has no schemas. A change runs SQL in the
 * session, which then keeps its engine connection. The caller of a change holds the guard of the connection.
 */
public interface CurrentNamespace {
    String catalog() throws SQLException;

    void setCatalog(String catalog) throws SQLException;

    @Nullable
    String schema() throws SQLException;

    void setSchema(@Nullable String schema) throws SQLException;

    /** Sets several schemas, separated by commas, in the order in which names are looked up. */
    void setSearchPath(String schemas) throws SQLException;
}
