// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.postgresql.master.PostgresBypassStore;
import io.multimed.engine.satellite.TransactionSnapshot;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A snapshot of one node, by a REPEATABLE READ transaction, for the comparison of copies ({@code multimed verify}).
 * Fingerprints are MD5 of the text of a row, which every version of PostgreSQL computes in the same way.
 */
public class PostgresSnapshot extends TransactionSnapshot {
    /**
     * Fixes all settings on which the text of a row depends, and disables limits of time, except for locks, which
     * clients may hold for ever. The engine notices within
     * half a minute that the middleware has gone or cannot be reached, and releases the locks of the snapshot.
     */
    private static final String OPTIONS = "-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1"
            + " -c timezone=UTC -c bytea_output=hex -c lc_monetary=C -c search_path= -c jit=off -c statement_timeout=0 -c lock_timeout=10s"
            + " -c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
            + " -c idle_in_transaction_session_timeout=0 -c default_transaction_read_only=on"
            + " -c default_transaction_isolation=repeatable\\ read";

    /** Selects all tables, except temporary ones and those of the engine and of Multimed. */
    private static final String TABLES = """
            SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND c.relpersistence <> 't'
            AND n.nspname NOT IN ('multimed', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'""";

    /**
     * Groups rows into buckets by the first 32 bits of the key's fingerprint. The sum of the fingerprints does not
     * depend on the order of rows; its type numeric cannot overflow.
     */
    private static final String SUMS = """
            SELECT bucket, count(*), sum(fingerprint)::text FROM (
                SELECT ('x' || left(%1$s, 8))::bit(32)::bigint & ? AS bucket, ('x' || left(%2$s, 16))::bit(64)::bigint AS fingerprint
                FROM ONLY %3$s AS t) AS rows GROUP BY bucket""";
    /** Selects the rows of some buckets, with a label of at most 200 characters. */
    private static final String ROWS = """
            SELECT %1$s AS key, %2$s AS row, left(%4$s, 200) FROM ONLY %3$s AS t
            WHERE ('x' || left(%1$s, 8))::bit(32)::bigint & ? = ANY (?) ORDER BY 1, 2""";

    /** Selects a text with the columns of a table, their types and collations. */
    private static final String DEFINITION = """
            SELECT coalesce(string_agg(format('%%I %%s%%s%%s', a.attname, format_type(a.atttypid, a.atttypmod),
                CASE WHEN l.oid IS NOT NULL THEN format(' COLLATE %%I.%%I', n.nspname, l.collname) END,
                CASE WHEN a.attnotnull THEN ' NOT NULL' END), E'\n' ORDER BY a.attnum), '')
            FROM pg_attribute a LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_namespace n ON n.oid = l.collnamespace
            WHERE a.attrelid = '%s'::regclass AND a.attnum > 0 AND NOT a.attisdropped""";

    /** Number of rows that the driver fetches at a time. */
    private static final int FETCHED = 1_000;

    /** Opens the connection, which {@link #close} closes. */
    public PostgresSnapshot(NodeAccess access) throws SQLException {
        super(open(access));
    }

    private static Connection open(NodeAccess access) throws SQLException {
        Properties properties = PostgresConnections.properties(access);
        properties.setProperty("options", OPTIONS);
        return PostgresConnections.open(access, properties, "");
    }

    /** The first query fixes the snapshot of the transaction. */
    @Override
    protected void take() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    @Override
    public Scn lastBypassing() throws SQLException {
        return new PostgresBypassStore().last(connection);
    }

    @Override
    public List<Relation> relations() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return Relations.all(statement);
        }
    }

    @Override
    public Set<String> tableNames() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return Set.copyOf(Queries.texts(statement, TABLES));
        }
    }

    @Override
    protected String readDefinition(Relation table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            String name = Quoting.table(table).replace("'", "''");
            return Queries.texts(statement, DEFINITION.formatted(name)).get(0);
        }
    }

    @Override
    protected PreparedStatement sumsQuery(Relation table, int buckets) throws SQLException {
        PreparedStatement query =
                connection.prepareStatement(SUMS.formatted(key(table), row(table), Quoting.table(table)));
        query.setLong(1, buckets - 1L);
        return query;
    }

    @Override
    protected PreparedStatement rowsQuery(Relation table, int buckets, Set<Integer> wanted) throws SQLException {
        String label = table.hasKey() ? rowOf(table, table.keyPositions()) : text(table);
        PreparedStatement query =
                connection.prepareStatement(ROWS.formatted(key(table), row(table), Quoting.table(table), label));
        query.setFetchSize(FETCHED);
        query.setLong(1, buckets - 1L);
        query.setArray(
                2,
                connection.createArrayOf(
                        "bigint", wanted.stream().map(Integer::longValue).toArray()));
        return query;
    }

    /** Returns the fingerprint of the key; without a key, that of the whole row. */
    private static String key(Relation table) {
        return table.hasKey() ? "md5(" + rowOf(table, table.keyPositions()) + ")" : row(table);
    }

    private static String row(Relation table) {
        return "md5(" + text(table) + ")";
    }

    private static String text(Relation table) {
        return rowOf(table, IntStream.range(0, table.columns().size()).boxed().toList());
    }

    /** Returns the expression of some columns as one text. */
    private static String rowOf(Relation table, List<Integer> positions) {
        return positions.stream()
                .map(position -> "t." + Quoting.identifier(table.columns().get(position)))
                .collect(Collectors.joining(", ", "ROW(", ")::text"));
    }
}
