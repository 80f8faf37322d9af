package io.multimed.jdbc;

import io.multimed.protocol.Describe;
import io.multimed.protocol.Described;
import io.multimed.protocol.Described.ColumnDescription;
import io.multimed.protocol.Described.ParameterDescription;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the engine knows of a statement without running it: its parameters, and where its columns come from. Asked for once, when it is wanted. */
final class Description {
    /** Of results that come of no statement. */
    static final Description NONE = new Description(null, "");

    private final @Nullable JdbcConnection connection;
    private final String sql;
    private @Nullable Described known;

    /** @param sql of a prepared statement */
    Description(@Nullable JdbcConnection connection, String sql) {
        this.connection = connection;
        this.sql = sql;
    }

    /** Whether there is a statement that could be described. */
    boolean isThere() {
        return connection != null;
    }

    /** Whether what is called a schema here is a catalog. */
    boolean hasCatalogs() {
        return connection != null && connection.manners().hasCatalogs();
    }

    private @Nullable Described described() throws SQLException {
        JdbcConnection asked = connection;
        if (known == null && asked != null) {
            known = asked.channel().call(new Describe(asked.mode(), sql), Described.class);
        }
        return known;
    }

    /** In order; empty if the statement returns no rows. */
    List<ColumnDescription> columns() throws SQLException {
        Described described = described();
        return described == null ? List.of() : described.columns();
    }

    /** In order. */
    List<ParameterDescription> parameters() throws SQLException {
        Described described = described();
        return described == null ? List.of() : described.parameters();
    }
}
