package io.multimed.jdbc.engine;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Gets and sets the catalog and the schema of one connection, as the engine's own driver does. */
public interface CurrentNamespace {
    String catalog() throws SQLException;

    void setCatalog(String catalog) throws SQLException;

    @Nullable
    String schema() throws SQLException;

    void setSchema(@Nullable String schema) throws SQLException;

    /** Sets several schemas, separated by commas, in the order in which names are looked up. */
    void setSearchPath(String schemas) throws SQLException;
}
