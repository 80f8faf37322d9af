package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.protocol.response.Described;
import io.multimed.protocol.response.Described.ColumnDescription;
import io.multimed.protocol.response.Described.ParameterDescription;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.Column;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Describes statements as the engine's own driver does, without running them. */
public final class Descriptions {
    /**
     * The SQLState with which an engine's driver reports that it cannot describe a parameter. The parameter is then
     * returned as {@link ParameterDescription#UNKNOWN}.
     */
    private static final String NOT_DESCRIBED = "S1C00";

    private Descriptions() {}

    public static Described describe(Connection connection, String sql, SqlDialect dialect) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            List<ParameterDescription> parameters = parameters(statement.getParameterMetaData());
            return new Described(SessionStatus.NONE, parameters, columns(statement.getMetaData(), dialect));
        }
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

    private static List<ColumnDescription> columns(@Nullable ResultSetMetaData data, SqlDialect dialect)
            throws SQLException {
        List<ColumnDescription> columns = new ArrayList<>();
        for (int i = 1; data != null && i <= data.getColumnCount(); i++) {
            columns.add(new ColumnDescription(
                    withCatalogProperties(ResultEncoder.column(data, i), data, i),
                    Objects.requireNonNullElse(data.getSchemaName(i), ""),
                    Objects.requireNonNullElse(data.getTableName(i), ""),
                    Objects.requireNonNullElse(dialect.baseSchema(data, i), ""),
                    Objects.requireNonNullElse(dialect.baseColumn(data, i), "")));
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
