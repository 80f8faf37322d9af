// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.EngineSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values of every kind, and the keys that rows are found by. */
interface CaptureOfValues {
    CaptureSystem system();

    @Tag("exhaustive")
    @Test
    default void shouldReplicateTextsOfEveryType() throws SQLException {
        system().play("texts");
        system().insert(
                        "INSERT INTO texts (id, c, v, b) VALUES (?, ?, '', ?)",
                        IntStream.rangeClosed(0, 16)
                                .mapToObj(plane -> new Object[] {
                                    "plane " + plane + Character.toString(plane * 0x10000 + 0x1234)
                                            + Character.toString(plane * 0x10000 + 0xFFFD)
                                            + "\t\n\r\\\"'(),{}%_\u0001\u007f\u0085\u2028\ufeff",
                                    Character.toString(plane * 0x10000 + 0xA0),
                                    allBytes()
                                })
                                .toList());
        system().insert(
                        "INSERT INTO texts (id, v) VALUES (?, ?)",
                        Stream.of("", "(,)", "\"", "\\", "\\\\", "'", "NULL", "5 -")
                                .map(text -> new Object[] {text, text})
                                .toList());
        system().run(
                        "UPDATE texts SET v = 'changed' WHERE id LIKE 'plane 1%'",
                        "DELETE FROM texts WHERE id = '(,)'", "UPDATE texts SET id = '\",(' WHERE id = '\"'");
        system().play("texts of its own");
        system().assertSame();
    }

    private static byte[] allBytes() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Test
    default void shouldReplicateBinaryValues() throws SQLException {
        system().play("bytes");
        system().insert(
                        "INSERT INTO bytes VALUES (?, ?)",
                        List.of(
                                new Object[] {new byte[] {0, 39, 92, (byte) 255}, allBytes()},
                                new Object[] {new byte[0], new byte[] {1}},
                                new Object[] {new byte[] {0}, new byte[] {0, 0}},
                                new Object[] {new byte[] {0, 0}, new byte[0]}));
        try (Connection connection = system().cluster().connect();
                PreparedStatement update = connection.prepareStatement("UPDATE bytes SET id = ? WHERE id = ?");
                PreparedStatement delete = connection.prepareStatement("DELETE FROM bytes WHERE id = ?")) {
            update.setBytes(1, new byte[] {0, 0, 0});
            update.setBytes(2, new byte[] {0, 0});
            assertThat(update.executeUpdate()).isEqualTo(1);
            delete.setBytes(1, new byte[0]);
            assertThat(delete.executeUpdate()).isEqualTo(1);
        }
        system().assertSame();
    }

    @Test
    default void shouldReplicateTimesUnderAnySessionSettings() throws SQLException {
        system().play("times");
        for (EngineSql.Statement session : system().section("sessions").statements()) {
            system().inTransaction(connection -> {
                session.run(connection);
                system().section("times in a session").run(connection);
                connection.commit();
                system().section("times in the next transaction").run(connection);
            });
            system().assertSame();
        }
    }

    @Tag("exhaustive")
    @Test
    default void shouldReplicateLargeValues() throws SQLException {
        system().play("large values");
        byte[] bytes = new byte[8 << 20];
        new Random(1).nextBytes(bytes);
        system().insert(
                        "INSERT INTO large_values VALUES (?, ?, ?)",
                        List.of(new Object[] {1, "ü\"😀\\(".repeat(300_000), bytes}, new Object[] {2, "", new byte[1]
                        }));
        system().run(
                        "INSERT INTO large_values (id, t) SELECT i, repeat('x', 1000000 + i) FROM series WHERE i BETWEEN 3 AND 9",
                        "UPDATE large_values SET t = concat(t, '!') WHERE id <= 3",
                        "DELETE FROM large_values WHERE id IN (7, 8)",
                        "INSERT INTO large_keyless SELECT repeat('x', 1500000) FROM series WHERE i <= 3");
        system().play("one of several large rows");
        system().assertSame();
        system().run("DELETE FROM large_values", "DELETE FROM large_keyless");
    }

    @Test
    default void shouldReplicateExchangedKeys() throws SQLException {
        system().run(
                        "CREATE TABLE exchanged (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(20))",
                        "INSERT INTO exchanged SELECT i, i, concat('v', i) FROM series WHERE i <= 10");
        system().inTransaction(
                        "UPDATE exchanged SET u = -1 WHERE id = 1",
                        "UPDATE exchanged SET u = 1 WHERE id = 2",
                        "UPDATE exchanged SET u = 2 WHERE id = 1",
                        "UPDATE exchanged SET id = -5 WHERE id = 5",
                        "UPDATE exchanged SET id = 5 WHERE id = 6",
                        "UPDATE exchanged SET id = 6 WHERE id = -5",
                        "UPDATE exchanged SET id = id + 100 WHERE id > 8",
                        "DELETE FROM exchanged WHERE id = 4",
                        "INSERT INTO exchanged VALUES (4, 4, 'again')");
        system().assertSame();
    }

    @Tag("exhaustive")
    @Test
    default void shouldReplicateChangesOfTablesLargerThanAnyBuffer() throws SQLException {
        system().play("keys of more rows than any buffer holds");
        system().play("many equal rows");
        system().assertSame();
        system().run("DROP TABLE shifted, shifted_by_row, many_equal");
    }

    @Test
    default void shouldFindRowsByTheirKeysCollation() throws SQLException {
        system().play("keys with a collation");
        system().run(
                        "INSERT INTO collated VALUES ('Straße', 1), ('ÄPFEL', 2), ('b', 3)",
                        "UPDATE collated SET k = 'apfel' WHERE k = 'äpfel'",
                        "UPDATE collated SET v = v + 1",
                        "UPDATE collated SET k = 'B' WHERE k = 'b'",
                        "DELETE FROM collated WHERE k = 'STRAßE'");
        system().assertSame();
        assertThat(system().onSatellite("SELECT count(*) FROM collated")).isEqualTo("2");
    }
}
