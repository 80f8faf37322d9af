package io.multimed.jdbc.metadata;

import io.multimed.jdbc.session.SessionContext;
import io.multimed.protocol.Describe;
import io.multimed.protocol.Described;
import io.multimed.protocol.Described.ColumnDescription;
import io.multimed.protocol.Described.ParameterDescription;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the engine knows of a statement without running it: its parameters, and where its columns come from. Asked for once, when it is wanted. */
public final class StatementDescription {
    /** Of results that come of no statement. */
    public static final StatementDescription NONE = new StatementDescription(null, false, "");

    private final @Nullable SessionContext session;
    private final boolean catalogs;
    private final String sql;
    private @Nullable Described known;

    /**
     * Creates a description.
     *
     * @param session null for a result that comes of no statement
     * @param catalogs whether what is called a schema here is a catalog
     * @param sql of a prepared statement
     */
    public StatementDescription(@Nullable SessionContext session, boolean catalogs, String sql) {
        this.session = session;
        this.catalogs = catalogs;
        this.sql = sql;
    }

    /** Whether there is a statement that could be described. */
    boolean isThere() {
        return session != null;
    }

    /** Whether what is called a schema here is a catalog. */
    boolean hasCatalogs() {
        return catalogs;
    }

    private @Nullable Described described() throws SQLException {
        SessionContext asked = session;
        if (known == null && asked != null) {
            known = asked.channel().call(new Describe(asked.mode(), sql), Described.class);
        }
        return known;
    }

    /** In order; empty if the statement returns no rows. */
    public List<ColumnDescription> columns() throws SQLException {
        Described described = described();
        return described == null ? List.of() : described.columns();
    }

    /** In order. */
    public List<ParameterDescription> parameters() throws SQLException {
        Described described = described();
        return described == null ? List.of() : described.parameters();
    }
}
