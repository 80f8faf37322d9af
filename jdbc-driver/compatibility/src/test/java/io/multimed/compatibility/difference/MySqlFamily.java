// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.IOException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** MariaDB and MySQL, both through MySQL Connector/J. */
final class MySqlFamily implements Family {
    private static final List<String> PARAMETER_TYPES = List.of(
            "tinyint",
            "tinyint(1)",
            "smallint",
            "int",
            "int unsigned",
            "bigint",
            "bigint unsigned",
            "decimal(12,3)",
            "float",
            "double",
            "bit(8)",
            "varchar(30)",
            "varchar(30) character set latin1",
            "char(8)",
            "text",
            "varbinary(30)",
            "blob",
            "date",
            "time(3)",
            "datetime(6)",
            "timestamp(3) null",
            "year",
            "json",
            "enum('happy','7')",
            "point");

    private static final List<String> MOMENT_COLUMNS =
            List.of("date", "time(6)", "datetime(6)", "timestamp(6) NULL", "year", "varchar(60)");

    private static final List<OutType> OUT_TYPES = List.of(
            new OutType("tinyint", Types.TINYINT, "7"),
            new OutType("smallint", Types.SMALLINT, "7"),
            new OutType("int", Types.INTEGER, "7"),
            new OutType("bigint", Types.BIGINT, "7000000000"),
            new OutType("decimal(8,2)", Types.DECIMAL, "7.50"),
            new OutType("float", Types.REAL, "1.5"),
            new OutType("double", Types.DOUBLE, "2.5"),
            new OutType("boolean", Types.BOOLEAN, "true"),
            new OutType("bit(1)", Types.BIT, "b'1'"),
            new OutType("text", Types.VARCHAR, "'some text'"),
            new OutType("char(5)", Types.CHAR, "'fixed'"),
            new OutType("varbinary(5)", Types.VARBINARY, "x'00ff'"),
            new OutType("blob", Types.BLOB, "x'00ff'"),
            new OutType("date", Types.DATE, "'2024-02-29'"),
            new OutType("time", Types.TIME, "'12:34:56'"),
            new OutType("datetime(3)", Types.TIMESTAMP, "'2024-02-29 12:34:56.789'"),
            new OutType("tinyint unsigned", Types.TINYINT, "255"),
            new OutType("int unsigned", Types.INTEGER, "4294967295"),
            new OutType("bigint unsigned", Types.BIGINT, "18446744073709551615"),
            new OutType("decimal(38,10)", Types.DECIMAL, "1234567890123456789012345678.0123456789"),
            new OutType("float", Types.REAL, "0.1"),
            new OutType("double", Types.DOUBLE, "1e300"),
            new OutType("bit(8)", Types.BIT, "b'110000'"),
            new OutType("enum('a', 'b')", Types.VARCHAR, "'b'"),
            new OutType("year", Types.INTEGER, "2024"),
            new OutType("date", Types.DATE, "'1000-01-01'"),
            new OutType("date", Types.VARCHAR, "'2024-02-29'"),
            new OutType("time", Types.TIME, "'12:34:00'"),
            new OutType("time", Types.TIME, "'00:00:00'"),
            new OutType("time", Types.TIME, "'100:00:00'"),
            new OutType("time", Types.TIME, "'-01:30:00'"),
            new OutType("time(3)", Types.TIME, "'12:34:56.789'"),
            new OutType("time(3)", Types.TIME, "'12:34:56.5'"),
            new OutType("int", Types.VARCHAR, "7"),
            new OutType("varchar(20)", Types.INTEGER, "'7'"),
            new OutType("int", Types.OTHER, "7"),
            new OutType("date", Types.OTHER, "'2024-02-29'"),
            new OutType("longtext", Types.LONGVARCHAR, "'long'"),
            new OutType("longblob", Types.LONGVARBINARY, "x'00ff'"),
            new OutType("time(6)", Types.TIME, "'12:34:56.789012'"),
            new OutType("time(6)", Types.TIME, "'12:34:00.000001'"),
            new OutType("time(3)", Types.VARCHAR, "'12:34:56.789'"),
            new OutType("datetime", Types.TIMESTAMP, "'2024-02-29 12:34:00'"),
            new OutType("datetime", Types.TIMESTAMP, "'2024-02-29 00:00:00'"),
            new OutType("datetime(6)", Types.TIMESTAMP, "'2024-02-29 12:34:56.789012'"),
            new OutType("datetime(6)", Types.VARCHAR, "'2024-02-29 12:34:56.789012'"),
            new OutType("timestamp(6)", Types.TIMESTAMP, "'2024-10-27 02:30:00.000001'"),
            new OutType("json", Types.VARCHAR, "'[1]'"));

    private final Map<String, Integer> columns = new LinkedHashMap<>();
    private final Map<String, Integer> rows = new LinkedHashMap<>();
    private final List<String> ownValues;

    /** @param ownValues lines as those of values.txt, of types that only one of the engines has */
    MySqlFamily(List<String> ownValues) {
        this.ownValues = ownValues;
    }

    @Override
    public String settings() {
        return "default_time_zone: '+05:00'";
    }

    @Override
    public String folder() {
        return "mysql";
    }

    @Override
    public List<String> valueLines() throws IOException {
        return Stream.concat(Resource.lines(this, "values.txt").stream(), ownValues.stream())
                .toList();
    }

    @Override
    public List<String> setup() {
        List<String> statements = new ArrayList<>(MomentSuite.table(MOMENT_COLUMNS));
        for (int i = 0; i < MOMENT_COLUMNS.size(); i++) {
            String type = MOMENT_COLUMNS.get(i).replace(" NULL", "");
            statements.add(
                    "CREATE FUNCTION passed%d(a %s) RETURNS %s DETERMINISTIC NO SQL RETURN a".formatted(i, type, type));
            statements.add("CREATE PROCEDURE both%d(INOUT a %s) SET a = a".formatted(i, type));
        }
        statements.addAll(List.of(
                "CREATE FUNCTION fails(n INT) RETURNS INT DETERMINISTIC BEGIN SIGNAL SQLSTATE '22012' SET MESSAGE_TEXT = 'it fails', MYSQL_ERRNO = 1365; RETURN n; END",
                "CREATE FUNCTION doubled(n INT) RETURNS INT DETERMINISTIC NO SQL RETURN n * 2",
                "CREATE PROCEDURE proceed(n INT) BEGIN SIGNAL SQLSTATE '01000' SET MESSAGE_TEXT = 'proceeding', MYSQL_ERRNO = 1234; END",
                "CREATE PROCEDURE several(n INT) BEGIN SELECT n AS one; SELECT name FROM things ORDER BY id; UPDATE things SET price = price + 1 WHERE id = n; END",
                "CREATE PROCEDURE swap(INOUT a INT, INOUT b VARCHAR(20)) BEGIN SET a = a + 1; SET b = CONCAT(b, '!'); END",
                ParameterSuite.table(PARAMETER_TYPES),
                "INSERT INTO holder (id) VALUES (1)"));
        return statements;
    }

    @Override
    public List<String> momentColumns() {
        return MOMENT_COLUMNS;
    }

    @Override
    public List<String> passing(int column) {
        return List.of("{? = call passed%d(?)}".formatted(column), "{call both%d(?)}".formatted(column));
    }

    @Override
    public List<String> fresh() {
        return List.of(
                "DROP VIEW IF EXISTS seen_things",
                "DROP TABLE IF EXISTS parts, things, numbered",
                "CREATE TABLE things (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL COMMENT 'what it is called', price DECIMAL(8,2) DEFAULT 1, UNIQUE KEY things_name (name), CONSTRAINT not_negative CHECK (price >= 0))",
                "CREATE TABLE parts (id INT PRIMARY KEY, thing INT NOT NULL, FOREIGN KEY (thing) REFERENCES things (id))",
                "CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) UNIQUE)",
                "CREATE VIEW seen_things AS SELECT id, name FROM things",
                "INSERT INTO things VALUES (1, 'one', 1.5), (2, 'two', 2.25), (3, 'three', NULL)",
                "INSERT INTO parts VALUES (1, 1), (2, 1), (3, 2)",
                "ANALYZE TABLE things, parts, numbered");
    }

    /**
     * Adds changes of the schema for two ways only: these changes take the engine long, and the ways to execute them
     * differ little.
     */
    @Override
    public List<String> statements(StatementSuite.Way way) throws IOException {
        List<String> statements = new ArrayList<>(Resource.lines(this, "statements.txt"));
        if (way == StatementSuite.Way.EXECUTE || way == StatementSuite.Way.KEYS) {
            statements.addAll(Resource.lines(this, "schema.txt"));
        }
        return statements;
    }

    /**
     * Returns the statements for one table with a column of each type, c0 and so on, and a row for each value. Row 0
     * contains nulls.
     */
    @Override
    public List<String> valueSetup() throws IOException {
        List<String> statements = new ArrayList<>(List.of("SET sql_mode = ''", "DROP TABLE IF EXISTS every_value"));
        StringBuilder table = new StringBuilder("CREATE TABLE every_value (id INT PRIMARY KEY");
        List<String> inserts = new ArrayList<>(List.of("INSERT INTO every_value (id) VALUES (0)"));
        for (String line : valueLines()) {
            String[] parts = line.split(" ; ", -1);
            int column = columns.computeIfAbsent(parts[0], type -> columns.size());
            table.append(", c").append(column).append(' ').append(parts[0]);
            for (int i = 1; i < parts.length; i++) {
                int row = rows.computeIfAbsent(parts[0] + " " + parts[i], value -> rows.size() + 1);
                inserts.add("INSERT INTO every_value (id, c%d) VALUES (%d, %s)".formatted(column, row, parts[i]));
            }
        }
        statements.add(table.append(")").toString());
        statements.addAll(inserts);
        return statements;
    }

    @Override
    public String value(String type, String literal) {
        int row = rows.getOrDefault(type + " " + literal, 0);
        return "SELECT c%d AS v FROM every_value WHERE id = %d".formatted(columns.get(type), row);
    }

    @Override
    public String column(String type) {
        return value(type, "NULL");
    }

    @Override
    public Place place(String name) {
        return new Place(name, null);
    }

    @Override
    public List<String> places() {
        return List.of("shop");
    }

    @Override
    public List<String> parameterTypes() {
        return PARAMETER_TYPES;
    }

    @Override
    public Object write(Connection connection, int column, ParameterSuite.Setting setting) throws SQLException {
        int changed;
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE holder SET c%d = ? WHERE id = 1".formatted(column))) {
            setting.on(statement, connection);
            changed = statement.executeUpdate();
        }
        String query = "SELECT CAST(c%d AS CHAR), HEX(c%d) FROM holder WHERE id = 1".formatted(column, column);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return "%d %s %s".formatted(changed, row.getString(1), row.getString(2));
        }
    }

    @Override
    public String tenRows() {
        return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i, CONCAT('row ', i) AS t FROM n";
    }

    @Override
    public String isolation() {
        return "SELECT @@session.transaction_isolation";
    }

    @Override
    public List<String> batchStatements() {
        return List.of(
                "INSERT INTO things (id, name) VALUES (?, ?)",
                "INSERT IGNORE INTO things (id, name) VALUES (?, ?)",
                "INSERT INTO things (id, name) VALUES (?, ?) ON DUPLICATE KEY UPDATE price = price + 1",
                "INSERT INTO numbered (id, name) VALUES (NULLIF(?, 20), ?)",
                "REPLACE INTO numbered (id, name) VALUES (?, ?)",
                "UPDATE things SET price = 5 WHERE id <= ? AND name <> ?",
                "DELETE FROM parts WHERE id = ? OR CAST(id AS CHAR) = ?",
                "INSERT INTO nothing VALUES (?, ?)",
                "SELECT id FROM things WHERE id = ? AND name = ?");
    }

    @Override
    public String restoredParts() {
        return "INSERT IGNORE INTO parts VALUES (1, 1), (2, 1), (3, 2)";
    }

    @Override
    public Map<String, Call<Connection>> connectionCalls() {
        Map<String, Call<Connection>> calls = new LinkedHashMap<>();
        calls.put("auto-commit after SQL has changed it", connection -> {
            execute(connection, "SET autocommit = 0");
            boolean off = connection.getAutoCommit();
            String commit = Rendering.outcome(connection, same -> {
                same.commit();
                return "done";
            });
            execute(connection, "SET autocommit = 1");
            return "%s %s %s".formatted(off, commit, connection.getAutoCommit());
        });
        calls.put("isolation after SQL has changed it", connection -> {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            int bySql = connection.getTransactionIsolation();
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            int byJdbc = connection.getTransactionIsolation();
            execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            return "%d %d %d".formatted(bySql, byJdbc, connection.getTransactionIsolation());
        });
        calls.put("read only after SQL has changed it", connection -> {
            execute(connection, "SET SESSION TRANSACTION READ ONLY");
            String on = readOnly(connection);
            connection.setReadOnly(false);
            String off = readOnly(connection);
            connection.setReadOnly(true);
            execute(connection, "SET SESSION TRANSACTION READ WRITE");
            String offBySql = readOnly(connection);
            connection.setReadOnly(false);
            return "%s %s %s %s".formatted(on, off, offBySql, readOnly(connection));
        });
        calls.put("changes of a read-only connection in auto-commit", connection -> {
            connection.setReadOnly(true);
            List<String> outcomes = new ArrayList<>();
            for (String sql : List.of(
                    "SELECT id FROM numbered FOR UPDATE",
                    "DO GET_LOCK('read only', 0)",
                    "INSERT INTO numbered (name) VALUES ('x')",
                    "CREATE TABLE never (id INT)",
                    "ANALYZE TABLE numbered")) {
                outcomes.add(Rendering.outcome(connection, same -> {
                    execute(same, sql);
                    return "done";
                }));
            }
            outcomes.add(Rendering.outcome(connection, same -> {
                try (PreparedStatement batch = same.prepareStatement("INSERT INTO numbered (name) VALUES (?)")) {
                    batch.setString(1, "x");
                    batch.addBatch();
                    return batch.executeBatch();
                }
            }));
            connection.setReadOnly(false);
            return outcomes.toString();
        });
        return calls;
    }

    /**
     * Returns the read-only status, and whether a change is permitted. Does not distinguish whether the driver or the
     * engine refuses the change.
     */
    private static String readOnly(Connection connection) throws SQLException {
        try {
            execute(connection, "UPDATE numbered SET name = name");
            return connection.isReadOnly() + " and changed";
        } catch (SQLException e) {
            return connection.isReadOnly() + " and refused";
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public Set<String> fatalCalls() {
        return Set.of("isValid -1");
    }

    @Override
    public Map<String, Call<Connection>> procedureCalls() {
        Map<String, Call<Connection>> calls = new LinkedHashMap<>();
        calls.put("nothing to give", connection -> {
            try (CallableStatement call = connection.prepareCall("{call proceed(?)}")) {
                call.setInt(1, 5);
                return call.execute() + " " + call.getUpdateCount() + Rendering.outcome(call, Statement::getWarnings);
            }
        });
        calls.put("several results", connection -> {
            try (CallableStatement call = connection.prepareCall("{call several(?)}")) {
                call.setInt(1, 1);
                return StatementSuite.results(call, call.execute());
            }
        });
        calls.put("wrong names", connection -> {
            try (CallableStatement call = connection.prepareCall("{call swap(?, 'two')}")) {
                return Rendering.outcome(call, same -> {
                            same.setInt("c", 1);
                            return "done";
                        })
                        + Rendering.outcome(call, same -> {
                            same.setInt("", 1);
                            return "done";
                        })
                        + Rendering.outcome(call, same -> {
                            same.setString(null, "x");
                            return "done";
                        });
            }
        });
        calls.put("the name of what gives nothing", connection -> {
            try (CallableStatement call = connection.prepareCall("{call proceed(?)}")) {
                call.registerOutParameter("n", Types.INTEGER);
                return call.execute();
            }
        });
        calls.put("a function's names", connection -> {
            try (CallableStatement call = connection.prepareCall("{? = call shop.doubled(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setObject("n", 21);
                call.execute();
                return call.getInt(1);
            }
        });
        calls.put("by names", connection -> {
            try (CallableStatement call = connection.prepareCall("{call swap(?, ?)}")) {
                call.setInt("a", 1);
                call.setString("b", "two");
                call.registerOutParameter("a", Types.INTEGER);
                call.registerOutParameter("b", Types.VARCHAR);
                return call.execute() + " " + call.getInt("a") + call.getString("b");
            }
        });
        return calls;
    }

    @Override
    public List<OutType> outTypes() {
        return OUT_TYPES;
    }

    @Override
    public void giveOut(Statement statement, OutType type, String literal) throws SQLException {
        statement.execute("DROP PROCEDURE IF EXISTS given");
        statement.execute("CREATE PROCEDURE given(OUT p %s) SET p = %s".formatted(type.name(), literal));
    }

    @Override
    public String outCall() {
        return "{call given(?)}";
    }

    @Override
    public String comparable(String outcome) {
        return Objects.requireNonNull(outcome);
    }

    @Override
    public String echo() {
        return "CAST(? AS CHAR)";
    }

    @Override
    public List<String> momentTypes() {
        return List.of("DATE", "TIME(3)", "DATETIME(3)");
    }

    @Override
    public String literal(String type, LocalDateTime moment) {
        return switch (type) {
            case "DATE" -> moment.toLocalDate().toString();
            case "TIME(3)" -> moment.toLocalTime().toString();
            default -> moment.toLocalDate() + " " + moment.toLocalTime();
        };
    }
}
