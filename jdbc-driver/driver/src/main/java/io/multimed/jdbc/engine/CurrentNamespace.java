package io.multimed.jdbc.engine;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What a connection's catalog and schema are, as the engine's own driver has it. Belongs to one connection. */
public interface CurrentNamespace {
    String catalog() throws SQLException;

    void setCatalog(String catalog) throws SQLException;

    @Nullable
    String schema() throws SQLException;

    void setSchema(@Nullable String schema) throws SQLException;

    /** Sets several schemas, separated by commas, in the order in which names are looked up. */
    void setPath(String schemas) throws SQLException;
}
