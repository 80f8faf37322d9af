// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.CatalogReader.Preparation;
import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.response.CatalogAnswer;
import io.multimed.protocol.response.Described;
import io.multimed.protocol.response.Described.ColumnDescription;
import io.multimed.protocol.response.Described.ParameterDescription;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.value.Column;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Describes statements, without running them, and the engine's catalog, for one client. The client can cancel both.
 * Used by one thread at a time.
 */
public final class Descriptions {
    /**
     * The SQLState with which an engine's driver reports that it cannot describe a parameter. The parameter is then
     * returned as {@link ParameterDescription#UNKNOWN}.
     */
    private static final String NOT_DESCRIBED = "S1C00";

    /** Begins the SQLStates of statements that the engine refuses for their text and the present schema. */
    private static final String REFUSED_TEXT = "42";

    /** Describes a statement that no engine knows: it has no parameters, and no columns before its execution. */
    public static final Described NOTHING = new Described(SessionStatus.NONE, List.of(), List.of());

    private final SqlDialect dialect;
    private final CancellableStatements cancellable;

    public Descriptions(SqlDialect dialect, Cancellation cancellation) {
        this.dialect = dialect;
        this.cancellable = new CancellableStatements(cancellation, dialect);
    }

    /**
     * Describes a statement.
     *
     * @param text of the request
     * @param own as for {@link SqlDialect#describe}
     */
    public Described describe(Connection connection, Describe request, ClassifiedText text, boolean own)
            throws SQLException {
        if (text.classification().has(Classification.Trait.DEFAULT_QUOTING)) {
            dialect.sessions().requireDefaultQuoting(connection);
        }
        return cancellable(
                connection,
                () -> dialect.catalog()
                        .describe(
                                connection,
                                text.sql(),
                                text.classification(),
                                own,
                                preparation(connection, request, text.sql()),
                                (parameters, columns) ->
                                        new Described(SessionStatus.NONE, parameters(parameters), columns(columns))));
    }

    /**
     * Describes a statement that has returned a result. The answer is {@link #NOTHING} if another client has meanwhile
     * dropped a table of the result, for example; the client's transaction goes on.
     *
     * @param text of the request
     * @param own as for {@link SqlDialect#describe}
     */
    public Described describeResult(Connection connection, Describe request, ClassifiedText text, boolean own)
            throws SQLException {
        boolean mayFail = own && !connection.getAutoCommit() && dialect.errors().afterCancel() == AfterError.FAILED;
        Savepoint before = mayFail ? connection.setSavepoint() : null;
        Described described;
        try {
            described = describe(connection, request, text, own);
        } catch (SQLException e) {
            String state = e.getSQLState();
            if (state == null || !state.startsWith(REFUSED_TEXT)) {
                throw e;
            }
            if (before != null) {
                connection.rollback(before);
            }
            described = NOTHING;
        }
        if (before != null) {
            connection.releaseSavepoint(before);
        }
        return described;
    }

    private static Preparation preparation(Connection connection, Describe request, String sql) {
        CallOptions call = request.call();
        return call == null ? () -> prepared(connection, request, sql) : new PreparedCall(connection, sql, call);
    }

    /** Returns the statement with parameters of the types that the client has set, which are not sent to the engine. */
    private static PreparedStatement prepared(Connection connection, Describe request, String sql) throws SQLException {
        PreparedStatement statement = KeyedStatements.prepare(connection, sql, request.keys());
        try {
            ParameterBinder.bindTypes(statement, request.parameters());
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** The parameters of a call have the types of the routine: the types of the values are not set. */
    private record PreparedCall(Connection connection, String sql, CallOptions call) implements Preparation {
        @Override
        public PreparedStatement prepare() throws SQLException {
            return OutParameters.prepare(connection, sql, call);
        }

        @Override
        public boolean isCall() {
            return true;
        }
    }

    /** Calls a method of the engine's metadata. */
    public CatalogAnswer call(Connection connection, CatalogCall request) throws SQLException {
        return cancellable(
                connection, () -> CatalogCalls.call(dialect.catalog().catalog(connection), request, dialect.values()));
    }

    private <T> T cancellable(Connection connection, CancellableStatements.Step<T> step) throws SQLException {
        return cancellable.execute(connection, () -> dialect.streaming().cancel(connection), step);
    }

    private static List<ParameterDescription> parameters(ParameterMetaData data) throws SQLException {
        List<ParameterDescription> parameters = new ArrayList<>();
        for (int i = 1; i <= data.getParameterCount(); i++) {
            parameters.add(parameter(data, i));
        }
        return parameters;
    }

    private static ParameterDescription parameter(ParameterMetaData data, int i) throws SQLException {
        try {
            return new ParameterDescription(
                    data.getParameterType(i),
                    data.getParameterTypeName(i),
                    data.getParameterClassName(i),
                    data.getPrecision(i),
                    data.getScale(i),
                    data.getParameterMode(i),
                    data.isNullable(i),
                    data.isSigned(i));
        } catch (SQLException e) {
            if (NOT_DESCRIBED.equals(e.getSQLState())) {
                return ParameterDescription.UNKNOWN;
            }
            throw e;
        }
    }

    private List<ColumnDescription> columns(@Nullable ResultSetMetaData data) throws SQLException {
        List<ColumnDescription> columns = new ArrayList<>();
        for (int i = 1; data != null && i <= data.getColumnCount(); i++) {
            columns.add(new ColumnDescription(
                    withCatalogProperties(ResultEncoder.column(data, i), data, i),
                    Objects.requireNonNullElse(data.getSchemaName(i), ""),
                    Objects.requireNonNullElse(data.getTableName(i), ""),
                    Objects.requireNonNullElse(dialect.catalog().baseSchema(data, i), ""),
                    Objects.requireNonNullElse(dialect.catalog().baseColumn(data, i), "")));
        }
        return columns;
    }

    private static Column withCatalogProperties(Column plain, ResultSetMetaData data, int i) throws SQLException {
        return new Column(
                plain.label(),
                plain.name(),
                plain.sqlType(),
                plain.typeName(),
                plain.className(),
                plain.precision(),
                plain.scale(),
                plain.displaySize(),
                data.isNullable(i),
                plain.signed(),
                data.isAutoIncrement(i),
                plain.caseSensitive(),
                plain.currency());
    }
}
