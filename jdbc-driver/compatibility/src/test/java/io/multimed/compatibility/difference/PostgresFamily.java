// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import static org.awaitility.Awaitility.await;

import io.multimed.jdbc.MultimedError;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.Date;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.postgresql.PGStatement;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** PostgreSQL through pgjdbc. */
final class PostgresFamily implements Family {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final List<String> PARAMETER_TYPES = List.of(
            "smallint",
            "int",
            "bigint",
            "numeric",
            "numeric(6,2)",
            "real",
            "double precision",
            "boolean",
            "text",
            "varchar(30)",
            "char(8)",
            "bytea",
            "date",
            "time",
            "timetz",
            "timestamp",
            "timestamptz",
            "uuid",
            "jsonb",
            "interval",
            "mood",
            "inet",
            "int[]",
            "text[]",
            "xml");

    private static final List<String> MOMENT_COLUMNS =
            List.of("date", "time(6)", "timetz(6)", "timestamp(6)", "timestamptz(6)", "varchar(60)");

    private static final List<OutType> OUT_TYPES = List.of(
            new OutType("int2", Types.SMALLINT, "'7'"),
            new OutType("int4", Types.INTEGER, "'7'"),
            new OutType("int8", Types.BIGINT, "'7000000000'"),
            new OutType("numeric", Types.NUMERIC, "'7.50'"),
            new OutType("float4", Types.REAL, "'1.5'"),
            new OutType("float8", Types.DOUBLE, "'2.5'"),
            new OutType("bool", Types.BIT, "'true'"),
            new OutType("text", Types.VARCHAR, "'some text'"),
            new OutType("bpchar", Types.CHAR, "'fixed'"),
            new OutType("bytea", Types.BINARY, "'\\x00ff'"),
            new OutType("date", Types.DATE, "'2024-02-29'"),
            new OutType("time", Types.TIME, "'12:34:56'"),
            new OutType("timestamp", Types.TIMESTAMP, "'2024-02-29 12:34:56.789'"),
            new OutType("timestamptz", Types.TIMESTAMP, "'2024-02-29 12:34:56.789+00'"),
            new OutType("numeric", Types.NUMERIC, "'NaN'"),
            new OutType("float4", Types.REAL, "'0.1'"),
            new OutType("float8", Types.DOUBLE, "'0.30000000000000004'"),
            new OutType("float8", Types.DOUBLE, "'NaN'"),
            new OutType("bool", Types.BOOLEAN, "'false'"),
            new OutType("date", Types.DATE, "'0044-03-15 BC'"),
            new OutType("date", Types.DATE, "'infinity'"),
            new OutType("date", Types.DATE, "'1000-01-01'"),
            new OutType("time", Types.TIME, "'12:34:00'"),
            new OutType("time", Types.TIME, "'00:00:00'"),
            new OutType("time", Types.TIME, "'24:00:00'"),
            new OutType("time", Types.TIME, "'12:34:56.789'"),
            new OutType("time", Types.TIME, "'12:34:56.789012'"),
            new OutType("time", Types.TIME, "'23:59:59.999999'"),
            new OutType("timetz", Types.TIME, "'12:34:56.789+05:30'"),
            new OutType("timetz", Types.TIME, "'12:34:56.789012-08'"),
            new OutType("timetz", Types.TIME, "'23:00:00-12'"),
            new OutType("timetz", Types.TIME, "'24:00:00+00'"),
            new OutType("timetz", Types.TIME, "'24:00:00+05:30'"),
            new OutType("timetz", Types.TIME, "'24:00:00-05'"),
            new OutType("timestamp", Types.TIMESTAMP, "'2024-02-29 00:00:00'"),
            new OutType("timestamp", Types.TIMESTAMP, "'2024-02-29 12:34:56.789012'"),
            new OutType("timestamp", Types.TIMESTAMP, "'infinity'"),
            new OutType("timestamp", Types.TIMESTAMP, "'1850-01-01 12:00:00.5'"),
            new OutType("timestamptz", Types.TIMESTAMP, "'2024-10-27 01:30:00.000001+00'"),
            new OutType("timestamptz", Types.TIMESTAMP, "'-infinity'"),
            new OutType("timestamptz", Types.TIMESTAMP, "'1850-01-01 12:00:00.5+00'"),
            new OutType("interval", Types.OTHER, "'1 day 02:03:04.567'"),
            new OutType("jsonb", Types.OTHER, "'[1]'"),
            new OutType("mood", Types.VARCHAR, "'sad'"),
            new OutType("text[]", Types.ARRAY, "'{a,NULL}'"),
            new OutType("timestamp[]", Types.ARRAY, "'{2024-02-29 12:34:56.789012}'"),
            new OutType("uuid", Types.OTHER, "'123e4567-e89b-12d3-a456-426614174000'"),
            new OutType("int4[]", Types.ARRAY, "'{1,2}'"),
            new OutType("xml", Types.SQLXML, "'<a/>'"));

    /**
     * Returns changed rows in the order of the index: their positions in the table depend on the time of the vacuum,
     * which differs between the two databases.
     */
    @Override
    public String settings() {
        return "enable_seqscan: 'off', enable_bitmapscan: 'off', timezone: America/Sao_Paulo";
    }

    @Override
    public String folder() {
        return "postgresql";
    }

    @Override
    public List<String> setup() {
        List<String> statements = new ArrayList<>(MomentSuite.table(MOMENT_COLUMNS));
        for (int i = 0; i < MOMENT_COLUMNS.size(); i++) {
            String type = MOMENT_COLUMNS.get(i);
            statements.add(
                    "CREATE FUNCTION passed%d(a %s) RETURNS %s LANGUAGE sql AS 'SELECT a'".formatted(i, type, type));
        }
        statements.addAll(List.of(
                "CREATE TYPE mood AS ENUM ('sad', 'happy')",
                "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
                "CREATE TYPE pair AS (a int, b text)",
                "CREATE FUNCTION fails(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN $1 / 0; END $$",
                "CREATE FUNCTION doubled(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 * 2'",
                "CREATE FUNCTION notices(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..n LOOP RAISE NOTICE 'notice %', i; END LOOP; RETURN n; END $$",
                "CREATE FUNCTION nothing(int) RETURNS void LANGUAGE plpgsql AS 'BEGIN UPDATE things SET price = 1 WHERE id = $1; END'",
                "CREATE FUNCTION numbers(n int) RETURNS refcursor LANGUAGE plpgsql AS $$ DECLARE c refcursor; BEGIN OPEN c FOR SELECT i, 'row ' || i FROM generate_series(1, n) i; RETURN c; END $$",
                "CREATE FUNCTION no_numbers() RETURNS refcursor LANGUAGE sql AS 'SELECT NULL::refcursor'",
                "CREATE FUNCTION two_cursors(OUT one refcursor, OUT n int, OUT other refcursor) LANGUAGE plpgsql AS $$ BEGIN OPEN one FOR SELECT 1; n := 5; OPEN other FOR SELECT 2, 'two'; END $$",
                "CREATE PROCEDURE open_numbers(INOUT c refcursor) LANGUAGE plpgsql AS $$ BEGIN OPEN c FOR SELECT 42; END $$",
                "CREATE PROCEDURE proceed(int) LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'proceeding %', $1; END $$",
                "CREATE PROCEDURE swap(INOUT a int, INOUT b text) LANGUAGE plpgsql AS $$ BEGIN a := a + 1; b := b || '!'; END $$",
                ParameterSuite.table(PARAMETER_TYPES),
                "INSERT INTO holder (id) VALUES (1)"));
        return statements;
    }

    @Override
    public List<String> momentColumns() {
        return MOMENT_COLUMNS;
    }

    @Override
    public Set<JDBCType> refusedTargets() {
        return Set.of(JDBCType.NCLOB, JDBCType.JAVA_OBJECT, JDBCType.REF_CURSOR);
    }

    @Override
    public List<String> passing(int column) {
        return List.of("{? = call passed%d(?)}".formatted(column));
    }

    @Override
    public List<String> fresh() {
        return List.of(
                "DROP VIEW IF EXISTS seen_things",
                "DROP TABLE IF EXISTS parts, things, numbered",
                "CREATE TABLE things (id int PRIMARY KEY, name varchar(40) NOT NULL, price numeric(8,2) DEFAULT 1 CONSTRAINT not_negative CHECK (price >= 0)) WITH (autovacuum_enabled = false)", // or where rows stand would depend on time
                "CREATE TABLE parts (id int PRIMARY KEY, thing int NOT NULL REFERENCES things)",
                "CREATE TABLE numbered (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text)",
                "CREATE UNIQUE INDEX things_name ON things (name)",
                "CREATE VIEW seen_things AS SELECT id, name FROM things",
                "COMMENT ON COLUMN things.name IS 'what it is called'",
                "INSERT INTO things VALUES (1, 'one', 1.5), (2, 'two', 2.25), (3, 'three', NULL)",
                "INSERT INTO parts VALUES (1, 1), (2, 1), (3, 2)");
    }

    @Override
    public List<String> statements(StatementSuite.Way way) throws IOException {
        return Resource.lines(this, "statements.txt");
    }

    @Override
    public List<String> valueSetup() {
        return List.of();
    }

    @Override
    public String value(String type, String literal) {
        String quoted = literal.equals("NULL") ? literal : "'" + literal.replace("'", "''") + "'";
        return "SELECT %s::%s AS v".formatted(quoted, type);
    }

    @Override
    public String column(String type) {
        return "SELECT NULL::%s AS v".formatted(type);
    }

    @Override
    public Place place(String name) {
        return new Place(null, name);
    }

    @Override
    public List<String> places() {
        return List.of("public", "pub%");
    }

    @Override
    public List<String> parameterTypes() {
        return PARAMETER_TYPES;
    }

    @Override
    public Object write(Connection connection, int column, ParameterSuite.Setting setting) throws SQLException {
        String sql = "UPDATE holder SET c%d = ? WHERE id = 1 RETURNING c%d::text".formatted(column, column);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setting.on(statement, connection);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    @Override
    public String tenRows() {
        return "SELECT i, 'row ' || i FROM generate_series(1, 10) i";
    }

    @Override
    public String isolation() {
        return "SHOW transaction_isolation";
    }

    @Override
    public List<String> batchStatements() {
        return List.of(
                "INSERT INTO things (id, name) VALUES (?, ?)",
                "INSERT INTO things (id, name) VALUES (?, ?) RETURNING id",
                "INSERT INTO things (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
                "UPDATE things SET price = 5 WHERE id <= ? AND name <> ?",
                "DELETE FROM parts WHERE id = ? OR id::text = ?",
                "INSERT INTO nothing VALUES (?, ?)",
                "SELECT id FROM things WHERE id = ? AND name = ?");
    }

    @Override
    public String restoredParts() {
        return "INSERT INTO parts VALUES (1, 1), (2, 1), (3, 2) ON CONFLICT DO NOTHING";
    }

    @Override
    public Map<String, Call<Connection>> connectionCalls() {
        Map<String, Call<Connection>> calls = new LinkedHashMap<>();
        calls.put("prepared operator", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT '{\"a\": 1}'::jsonb ?? ?")) {
                statement.setString(1, "a");
                return Rendering.value(statement.executeQuery());
            }
        });
        calls.put("isolation after SQL has changed it", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
                int serializable = connection.getTransactionIsolation();
                statement.execute("SET default_transaction_isolation = 'repeatable read'");
                int repeatable = connection.getTransactionIsolation();
                statement.execute("RESET default_transaction_isolation");
                return serializable + " " + repeatable + " " + connection.getTransactionIsolation();
            }
        });
        for (String sql : List.of(
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT 1")) {
            calls.put("isolation after " + sql, connection -> isolationAfter(connection, sql));
        }
        calls.put("rows of an update with keys", connection -> {
            try (Statement statement = connection.createStatement()) {
                int count = statement.executeUpdate(
                        "WITH x AS (INSERT INTO numbered (name) VALUES ('x') RETURNING name) SELECT name FROM x",
                        new String[] {"name"});
                return count + Rendering.rows(statement.getResultSet());
            }
        });
        calls.put("places beside the insert row", PostgresFamily::leaveInsertRow);
        texts(calls);
        calls.put("read only after SQL has changed it", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
                boolean on = connection.isReadOnly();
                statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE");
                return on + " " + connection.isReadOnly();
            }
        });
        return calls;
    }

    private static String isolationAfter(Connection connection, String sql) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            int within = connection.getTransactionIsolation();
            connection.rollback();
            return within + " " + connection.getTransactionIsolation();
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static String leaveInsertRow(Connection connection) throws SQLException {
        Map<String, Call<ResultSet>> moves = new LinkedHashMap<>();
        moves.put("first", ResultSet::first);
        moves.put("last", ResultSet::last);
        moves.put("absolute", rows -> rows.absolute(2));
        moves.put("beforeFirst", rows -> {
            rows.beforeFirst();
            return rows.next();
        });
        moves.put("afterLast", rows -> {
            rows.afterLast();
            return rows.previous();
        });
        moves.put("next", ResultSet::next);
        moves.put("relative", rows -> rows.relative(1));
        StringBuilder told = new StringBuilder();
        connection.setAutoCommit(false);
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("SELECT id, name FROM things ORDER BY id")) {
            int id = 100;
            for (Map.Entry<String, Call<ResultSet>> move : moves.entrySet()) {
                rows.moveToInsertRow();
                rows.updateInt(1, ++id);
                rows.updateString(2, "name " + id);
                rows.insertRow();
                told.append(move.getKey()).append(' ').append(Rendering.outcome(rows, move.getValue()));
                rows.moveToCurrentRow();
                told.append(' ').append(rows.getRow()).append("; ");
            }
            return told.toString();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Override
    public Map<String, Call<Observed>> observedCalls() {
        return Map.of("closed by another thread", PostgresFamily::closedElsewhere);
    }

    private static String closedElsewhere(Observed observed) throws Exception {
        Statement statement = observed.connection().createStatement();
        Thread closing = new Thread(() -> {
            try {
                await("the engine runs pg_sleep: see pg_stat_activity")
                        .atMost(PATIENCE)
                        .until(() -> isSleeping(observed.observer()));
                statement.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        closing.start();
        String outcome = Rendering.outcome(statement, same -> same.executeQuery("SELECT pg_sleep(20)"));
        closing.join();
        return outcome + statement.isClosed();
    }

    private static boolean isSleeping(Connection observer) throws SQLException {
        try (Statement statement = observer.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static void texts(Map<String, Call<Connection>> calls) {
        calls.put("prepared text with values", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT ?, ?::text, '?', E'\\'?', \"?\", $$?$$, $a$ ? $b$ $a$, 1 /* ? */, a ?? ? -- ?\n, ?, ?")) {
                String before = statement.toString();
                statement.setInt(1, 5);
                statement.setString(2, "it's");
                statement.setNull(3, Types.INTEGER);
                statement.setTimestamp(4, Timestamp.valueOf("2024-02-29 12:34:56.5"));
                return before + statement;
            }
        });
        calls.put("prepared text of every class", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("VALUES (" + "?, ".repeat(18) + "?)")) {
                statement.setShort(1, (short) 1);
                statement.setLong(2, -5);
                statement.setFloat(3, 1.5f);
                statement.setDouble(4, 1.5);
                statement.setBoolean(5, true);
                statement.setBigDecimal(6, new BigDecimal("1.50"));
                statement.setBytes(7, new byte[] {1, -1});
                statement.setDate(8, Date.valueOf("2024-02-29"));
                statement.setTime(9, Time.valueOf("12:34:56"));
                statement.setObject(10, new UUID(1, 2));
                statement.setArray(11, connection.createArrayOf("int4", new Object[] {1, 2}));
                statement.setObject(12, LocalDate.of(2024, 2, 29));
                statement.setObject(13, LocalTime.of(12, 34, 56));
                statement.setObject(14, LocalDateTime.of(2024, 2, 29, 12, 34, 56));
                statement.setObject(15, OffsetDateTime.of(2024, 2, 29, 12, 34, 56, 0, ZoneOffset.UTC));
                statement.setObject(16, "other", Types.OTHER);
                statement.setNull(17, Types.OTHER, "uuid");
                statement.setDate(18, Date.valueOf("1890-02-28"));
                statement.addBatch();
                statement.setInt(1, 2);
                return statement;
            } catch (SQLException e) {
                return "the last one is not set: " + e.getMessage();
            }
        });
        calls.put("prepared text of a batch", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT ?")) {
                statement.setInt(1, 1);
                statement.addBatch();
                statement.setInt(1, 2);
                statement.addBatch();
                return statement;
            }
        });
    }

    @Override
    public Set<String> fatalCalls() {
        return Set.of();
    }

    @Override
    public Map<String, Call<Connection>> procedureCalls() {
        Map<String, Call<Connection>> calls = new LinkedHashMap<>();
        calls.put("a procedure by CALL", connection -> CallSuite.procedure(connection, "CALL swap(?, ?)"));
        cursors(calls);
        for (String called :
                List.of("{call doubled(?)}", "{call nothing(?)}", "CALL proceed(?)", "{? = call doubled(5)}")) {
            calls.put("executeUpdate of " + called, connection -> {
                try (CallableStatement call = connection.prepareCall(called)) {
                    if (called.startsWith("{?")) {
                        call.registerOutParameter(1, Types.INTEGER);
                    } else {
                        call.setInt(1, 5);
                    }
                    return call.executeUpdate() + " " + call.getUpdateCount() + " " + (call.getResultSet() == null);
                }
            });
        }
        calls.put("nothing to give", connection -> {
            try (CallableStatement call = connection.prepareCall("{call proceed(?)}")) {
                call.setInt(1, 5);
                return call.execute() + " " + call.getUpdateCount() + Rendering.outcome(call, Statement::getWarnings);
            }
        });
        calls.put("a result", connection -> {
            try (CallableStatement call = connection.prepareCall("{call doubled(?)}")) {
                call.setInt(1, 5);
                return Rendering.rows(call.executeQuery());
            }
        });
        return calls;
    }

    /** Cursors exist in transactions only. */
    private static void cursors(Map<String, Call<Connection>> calls) {
        cursor(calls, "a cursor as " + Types.REF_CURSOR, Types.REF_CURSOR, 0, "{? = call numbers(5)}");
        cursor(calls, "a cursor as " + Types.OTHER, Types.OTHER, 0, "{? = call numbers(5)}");
        cursor(calls, "a long cursor", Types.REF_CURSOR, 0, "{? = call numbers(70000)}");
        cursor(calls, "a cursor by pieces", Types.REF_CURSOR, 7, "{? = call numbers(70000)}");
        cursor(calls, "an empty cursor", Types.REF_CURSOR, 0, "{? = call numbers(0)}");
        cursor(calls, "no cursor", Types.REF_CURSOR, 0, "{? = call no_numbers()}");
        cursor(calls, "a cursor as a number", Types.INTEGER, 0, "{? = call numbers(5)}");
        cursor(calls, "a cursor of a procedure", Types.REF_CURSOR, 0, "CALL open_numbers(?)");
        calls.put("several cursors", inTransaction(connection -> {
            try (CallableStatement call = connection.prepareCall("{call two_cursors(?, ?, ?)}")) {
                call.registerOutParameter(1, Types.REF_CURSOR);
                call.registerOutParameter(2, Types.INTEGER);
                call.registerOutParameter(3, Types.OTHER);
                boolean rows = call.execute();
                Object first = call.getObject(1);
                return rows
                        + Rendering.rows((ResultSet) call.getObject(3))
                        + call.getInt(2)
                        + Rendering.rows(call.getObject(1, ResultSet.class))
                        + (first == call.getObject(1))
                        + Rendering.outcome(call, same -> same.getString(1));
            }
        }));
        calls.put("a cursor after its transaction", inTransaction(connection -> {
            try (CallableStatement call = connection.prepareCall("{? = call numbers(70000)}")) {
                call.registerOutParameter(1, Types.REF_CURSOR);
                call.execute();
                connection.commit();
                return count((ResultSet) call.getObject(1));
            }
        }));
        calls.put("a cursor that scrolls", inTransaction(connection -> {
            try (CallableStatement call = connection.prepareCall(
                    "{? = call numbers(5)}", ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
                call.registerOutParameter(1, Types.REF_CURSOR);
                call.execute();
                ResultSet rows = (ResultSet) call.getObject(1);
                return rows.getType() + " " + rows.getConcurrency() + " " + rows.last() + rows.getRow();
            }
        }));
        calls.put("a column that is a cursor", inTransaction(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT numbers(5), no_numbers()")) {
                row.next();
                ResultSet rows = (ResultSet) row.getObject(1);
                return Rendering.rows(rows) + row.getObject(2) + Rendering.outcome(row, same -> same.getObject(1));
            }
        }));
    }

    private static void cursor(Map<String, Call<Connection>> calls, String name, int type, int fetchSize, String sql) {
        calls.put(name, inTransaction(connection -> cursor(connection, type, fetchSize, sql)));
    }

    private static Call<Connection> inTransaction(Call<Connection> call) {
        return connection -> {
            connection.setAutoCommit(false);
            try {
                return Rendering.outcome(connection, call).replaceAll("<unnamed portal \\d+>", "<portal>");
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        };
    }

    private static String cursor(Connection connection, int type, int fetchSize, String sql) throws SQLException {
        try (CallableStatement call = connection.prepareCall(sql)) {
            call.setFetchSize(fetchSize);
            call.registerOutParameter(1, type);
            if (sql.endsWith("(?)")) {
                call.setNull(1, Types.OTHER);
            }
            boolean rows = call.execute();
            ResultSet cursor = (ResultSet) call.getObject(1);
            return cursor == null
                    ? "none " + call.wasNull()
                    : rows + " " + call.getUpdateCount() + " "
                            + cursor.getMetaData().getColumnTypeName(1) + count(cursor);
        }
    }

    /** The number of rows, and the sum of their first columns. */
    private static String count(ResultSet rows) throws SQLException {
        long count = 0;
        long sum = 0;
        while (rows.next()) {
            count++;
            sum += rows.getLong(1);
        }
        return " %d rows, %d in all".formatted(count, sum);
    }

    @Override
    public List<OutType> outTypes() {
        return OUT_TYPES;
    }

    @Override
    public void giveOut(Statement statement, OutType type, String literal) throws SQLException {
        statement.execute("DROP FUNCTION IF EXISTS given()");
        statement.execute("CREATE FUNCTION given() RETURNS %s LANGUAGE sql AS 'SELECT %s::%s'"
                .formatted(type.name(), literal.replace("'", "''"), type.name()));
    }

    @Override
    public String outCall() {
        return "{? = call given()}";
    }

    @Override
    public String echo() {
        return "?::text";
    }

    @Override
    public List<String> momentTypes() {
        return List.of("date", "time", "timestamp", "timestamptz");
    }

    @Override
    public String literal(String type, LocalDateTime moment) {
        return switch (type) {
            case "date" -> moment.toLocalDate().toString();
            case "time" -> moment.toLocalTime().toString();
            case "timestamp" -> moment.toString();
            default -> moment + "Z";
        };
    }

    @Override
    public void readAsText(PreparedStatement statement) throws SQLException {
        if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
    }

    @Override
    public String fields(SQLException failure) {
        if (failure instanceof PSQLException engines && engines.getServerErrorMessage() != null) {
            ServerErrorMessage said = engines.getServerErrorMessage();
            return fields(
                    said.getSeverity(),
                    said.getMessage(),
                    said.getDetail(),
                    said.getHint(),
                    said.getPosition(),
                    said.getInternalPosition(),
                    said.getInternalQuery(),
                    said.getWhere(),
                    said.getSchema(),
                    said.getTable(),
                    said.getColumn(),
                    said.getDatatype(),
                    said.getConstraint(),
                    said.getRoutine());
        }
        return MultimedError.of(failure)
                .filter(ours -> ours.message() != null)
                .map(ours -> fields(
                        ours.severity(),
                        ours.message(),
                        ours.detail(),
                        ours.hint(),
                        ours.position(),
                        ours.internalPosition(),
                        ours.internalQuery(),
                        ours.where(),
                        ours.schema(),
                        ours.table(),
                        ours.column(),
                        ours.datatype(),
                        ours.constraint(),
                        ours.routine()))
                .orElse("");
    }

    private static String fields(Object... values) {
        return Arrays.toString(values);
    }

    /** The engine's own driver throws one class for everything; ours is checked by state in another test. */
    @Override
    public String comparable(String outcome) {
        return outcome.replaceAll("\\bSQL(?!Warning)\\w*Exception \\[", "SQLException [");
    }
}
