// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Series;
import io.multimed.jdbc.MultimedConnection;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Large values are written, replicated to every satellite, and read. On PostgreSQL the middleware's heap is about five
 * times the size of a value: the middleware holds a value only while its engine's driver does, which reads a result as
 * text (bytea: two characters per byte). On MariaDB and MySQL the heap is fifteen times the size: their driver puts a
 * value into the text of a statement, and each applier holds the row that it writes. For 100 MB: {@code .ci/test
 * deploy/trial LargeValueTest -Dmultimed.test.value-mb=100 -Dmultimed.test.patience-minutes=15
 * -Djunit.jupiter.execution.timeout.mode=disabled}.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class LargeValueTest {
    private static final int SIZE = Integer.getInteger("multimed.test.value-mb", 8) << 20;

    /** A text of approximately this size in UTF-8. */
    private static final byte[] WORDS =
            "a\u00e4b\uD83D\uDE00 \"\\".repeat(SIZE / 11).getBytes(UTF_8);

    @TempDir
    private Path folder;

    private final boolean postgres;
    private final String heap;
    private final ExternalEngines engines;
    private final EngineSql speech;

    LargeValueTest(String engine) {
        postgres = engine.equals("postgresql");
        heap = System.getProperty("multimed.test.heap", (72 + (SIZE >> 20) * (postgres ? 4 : 14)) + "m");
        engines = new ExternalEngines(engine);
        speech = EngineSql.of(engine);
    }

    @AfterEach
    void stopEngines() {
        engines.close();
    }

    @Test
    void shouldWriteAndReadLargeValues() throws Exception {
        try (MiddlewareProcess middleware = new MiddlewareProcess(
                engines.model(folder), folder.resolve("output"), List.of("-Xmx" + heap, "-XX:TieredStopAtLevel=1"))) {
            middleware.start();
            middleware.awaitSatellites();
            byte[] bytes = new byte[SIZE];
            new Random(1).nextBytes(bytes);
            if (postgres) {
                engines.run("CREATE TABLE doc (id int PRIMARY KEY, name text, body bytea, words text)");
                insert(bytes);
                change(bytes);
                read(bytes);
                stream(bytes, true);
                stream(bytes, false);
            } else {
                engines.run("CREATE TABLE doc (id int PRIMARY KEY, name text, body longblob, words longtext)");
                carry(bytes);
            }
            refuseTooLargeResult();
            engines.awaitApplied();
            assertThat(middleware.printed()).doesNotContain("OFFLINE", "OutOfMemoryError");
            System.out.printf(
                    "%d MB values, heap %s: middleware's largest memory %s%n",
                    SIZE >> 20, heap, ExternalEngines.largestMemory(middleware.pid()));
        }
    }

    /** The least that shows it: a value of each kind goes up, and comes down; so do rows one after the other. */
    private void carry(byte[] bytes) throws SQLException {
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO doc VALUES (?, 'a name', ?, ?)")) {
            timed("setBinaryStream", () -> {
                insert.setInt(1, 1);
                insert.setBinaryStream(2, new ByteArrayInputStream(bytes));
                insert.setString(3, null);
                insert.executeUpdate();
            });
            timed("setCharacterStream", () -> {
                insert.setInt(1, 2);
                insert.setNull(2, java.sql.Types.BINARY);
                insert.setCharacterStream(3, characters());
                insert.executeUpdate();
            });
            engines.awaitApplied();
            statement.setFetchSize(1);
            timed("rows one after the other", () -> {
                try (ResultSet rows = statement.executeQuery("SELECT body, words FROM doc ORDER BY id")) {
                    assertThat(connection.unwrap(MultimedConnection.class).lastNode())
                            .startsWith("satellite");
                    assertThat(rows.next()).isTrue();
                    assertThat(Arrays.equals(rows.getBytes(1), bytes)).isTrue();
                    assertThat(rows.next()).isTrue();
                    assertThat(digest(new ByteArrayInputStream(rows.getString(2).getBytes(UTF_8))))
                            .isEqualTo(digest(utf8()));
                    assertThat(rows.next()).isFalse();
                }
            });
        }
    }

    private void insert(byte[] bytes) throws SQLException {
        try (Connection connection = engines.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO doc VALUES (?, 'a name', ?, ?)")) {
            timed("setBinaryStream", () -> {
                insert.setInt(1, 1);
                insert.setBinaryStream(2, new ByteArrayInputStream(bytes));
                insert.setString(3, null);
                insert.executeUpdate();
            });
            timed("setBytes", () -> {
                insert.setInt(1, 2);
                insert.setBytes(2, bytes);
                insert.executeUpdate();
            });
            timed("setCharacterStream", () -> {
                insert.setInt(1, 3);
                insert.setNull(2, java.sql.Types.BINARY);
                insert.setCharacterStream(3, characters());
                insert.executeUpdate();
            });
            timed("setBlob and setClob", () -> {
                insert.setInt(1, 4);
                insert.setBlob(2, new ByteArrayInputStream(bytes));
                insert.setClob(3, characters());
                insert.executeUpdate();
            });
        }
        engines.assertSame("doc");
    }

    private void change(byte[] bytes) throws SQLException {
        try (Connection connection = engines.connect();
                PreparedStatement update = connection.prepareStatement("UPDATE doc SET body = ? WHERE id = 2")) {
            timed("update of another column", () -> {
                try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate("UPDATE doc SET name = name || '!' WHERE id = 2");
                }
            });
            bytes[0]++;
            timed("update of the value", () -> {
                update.setBytes(1, bytes);
                assertThat(update.executeUpdate()).isEqualTo(1);
            });
            bytes[0]--;
        }
        engines.assertSame("doc");
    }

    private void read(byte[] bytes) throws SQLException {
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement()) {
            timed("getBytes", () -> {
                try (ResultSet row = one(connection, statement, "body", 1)) {
                    assertThat(Arrays.equals(row.getBytes(1), bytes)).isTrue();
                }
            });
            timed("getBinaryStream", () -> {
                try (ResultSet row = one(connection, statement, "body", 4);
                        InputStream stream = row.getBinaryStream(1)) {
                    assertThat(digest(stream)).isEqualTo(digest(new ByteArrayInputStream(bytes)));
                }
            });
            timed("getBlob", () -> {
                try (ResultSet row = one(connection, statement, "body", 1)) {
                    assertThat(row.getBlob(1).length()).isEqualTo(SIZE);
                }
            });
            timed("getString", () -> {
                try (ResultSet row = one(connection, statement, "words", 3)) {
                    assertThat(digest(new ByteArrayInputStream(row.getString(1).getBytes(UTF_8))))
                            .isEqualTo(digest(utf8()));
                }
            });
            timed("getClob", () -> {
                try (ResultSet row = one(connection, statement, "words", 4)) {
                    assertThat(row.getClob(1).getSubString(1, 3)).isEqualTo("a\u00e4b");
                }
            });
        }
    }

    /** Reads several rows, one after the other: client and middleware hold two of them at most. */
    private void stream(byte[] bytes, boolean autoCommit) throws SQLException {
        try (Connection connection = engines.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(autoCommit);
            statement.setFetchSize(1);
            timed("rows one after the other, auto-commit " + autoCommit, () -> {
                try (ResultSet rows = statement.executeQuery("SELECT id, body FROM doc WHERE id <> 3 ORDER BY id")) {
                    for (int id : List.of(1, 2, 4)) {
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getInt(1)).isEqualTo(id);
                        byte[] body = rows.getBytes(2);
                        assertThat(body).hasSameSizeAs(bytes);
                        assertThat(Arrays.equals(body, bytes)).isEqualTo(id != 2); // which was changed
                    }
                    assertThat(rows.next()).isFalse();
                }
            });
            if (!autoCommit) {
                connection.commit();
            }
        }
    }

    /** Reads all rows at once: the message names a remedy, the transaction ends, and the connection remains usable. */
    private void refuseTooLargeResult() throws SQLException {
        String several = postgres ? "doc" : "doc CROSS JOIN " + Series.to(10);
        String everything = "SELECT body, words, %s FROM %s".formatted(speech.random(), several);
        for (boolean readOnly : List.of(true, false)) {
            try (Connection connection = engines.connect();
                    Statement statement = connection.createStatement()) {
                connection.setReadOnly(readOnly);
                for (boolean autoCommit : postgres ? List.of(true, false) : List.of(readOnly)) {
                    connection.setAutoCommit(autoCommit);
                    assertThatThrownBy(() -> statement.executeQuery(everything))
                            .hasMessageContaining("larger than the middleware holds at once")
                            .hasMessageContaining("Statement.setFetchSize")
                            .hasMessageContaining("-Xmx")
                            .extracting("SQLState")
                            .isEqualTo("53200");
                    if (!autoCommit) {
                        connection.rollback();
                    }
                    statement.execute("SELECT name, %s FROM doc".formatted(speech.random()));
                }
            }
        }
    }

    private static ResultSet one(Connection connection, Statement statement, String column, int id)
            throws SQLException {
        ResultSet row = statement.executeQuery("SELECT %s FROM doc WHERE id = %d".formatted(column, id));
        assertThat(row.next()).isTrue();
        assertThat(connection.unwrap(MultimedConnection.class).lastNode()).startsWith("satellite");
        return row;
    }

    private static Reader characters() {
        return new InputStreamReader(utf8(), UTF_8);
    }

    private static InputStream utf8() {
        return new ByteArrayInputStream(WORDS);
    }

    private static String digest(InputStream stream) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] buffer = new byte[1 << 16];
        for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
            digest.update(buffer, 0, n);
        }
        return java.util.HexFormat.of().formatHex(digest.digest());
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void timed(String what, Step step) throws SQLException {
        long begin = System.nanoTime();
        try {
            step.run();
        } catch (SQLException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        System.out.printf("%s: %.1f s%n", what, (System.nanoTime() - begin) / 1e9);
    }
}
