// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.Engines;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/**
 * Reads the SQL that tests run on an engine: a file in the engine's folder of the test resources. A line
 * {@code -- name: ...} begins a section. A statement ends where a line ends with a semicolon and the next line is not
 * indented. Other lines that begin with two dashes are comments, except:
 * <ul>
 * <li>{@code -- not here: reason}, or {@code -- not on ENGINE: reason} if engines share a folder: the engine does not
 * support the section. Tests of the section are skipped with the reason.
 * <li>{@code -- refused: words}: Multimed refuses the next statement, with SQLState 0A000 and a message that contains
 * the words.
 * <li>{@code -- fails: SQLState}: the engine refuses the next statement.
 * </ul>
 */
public final class EngineSql {
    /** A comment line, or a statement without its semicolon. */
    private static final Pattern ITEM = Pattern.compile("(?m)^-- (.*)$|^(?s:(\\S.*?));$(?!\\n )");

    private final String file;
    private final Map<String, Section> sections = new LinkedHashMap<>();

    /**
     * @param sqlState of the expected error; empty if the statement succeeds
     * @param words that the message of the error contains
     */
    public record Statement(String text, String sqlState, String words) {
        /** Runs the statement, and asserts that it ends as the file specifies. */
        public void run(Connection connection) throws SQLException {
            if (sqlState.isEmpty()) {
                Sql.run(connection, text);
            } else {
                assertThatThrownBy(() -> Sql.run(connection, text))
                        .as(text)
                        .hasMessageContaining(words)
                        .extracting("SQLState")
                        .isEqualTo(sqlState);
            }
        }
    }

    /** @param notHere why the engine does not support the section; empty if the engine supports it */
    public record Section(List<Statement> statements, String notHere) {
        /**
         * Runs all statements, each in its own transaction unless the statements say otherwise. Skips the test if the
         * engine does not support the section.
         */
        public void run(Connection connection) throws SQLException {
            Assumptions.assumeTrue(notHere.isEmpty(), notHere);
            for (Statement statement : statements) {
                statement.run(connection);
            }
        }
    }

    private EngineSql(String engine, String file, String text) {
        this.file = engine + "'s " + file;
        String name = "";
        String sqlState = "";
        String words = "";
        Matcher item = ITEM.matcher(text);
        while (item.find()) {
            if (item.group(2) != null) {
                section(name).statements().add(new Statement(item.group(2), sqlState, words));
                sqlState = "";
                words = "";
                continue;
            }
            String[] remark = item.group(1).split(": ", 2);
            if (remark[0].equals("name")) {
                name = remark[1];
                if (sections.put(name, new Section(new ArrayList<>(), "")) != null) {
                    throw new IllegalArgumentException("%s has two sections %s".formatted(this.file, name));
                }
            } else if (remark[0].equals("not here") || remark[0].equals("not on " + engine)) {
                sections.put(name, new Section(new ArrayList<>(), remark[1]));
            } else if (remark[0].equals("refused")) {
                sqlState = "0A000";
                words = remark[1];
            } else if (remark[0].equals("fails")) {
                sqlState = remark[1];
            }
        }
    }

    /**
     * @param name of the file, without its end
     * @throws IllegalArgumentException if the engine has no such file
     */
    public static EngineSql of(String engine, String name) {
        String file = name + ".sql";
        try (InputStream in = Engines.of(engine).getClass().getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("%s has no %s".formatted(engine, file));
            }
            return new EngineSql(engine, file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IllegalArgumentException if the file has no such section */
    public Section section(String name) {
        Section section = sections.get(name);
        if (section == null) {
            throw new IllegalArgumentException("%s has no section %s".formatted(file, name));
        }
        return section;
    }

    /** Returns the names of all sections, in the order of the file. */
    public List<String> sections() {
        return List.copyOf(sections.keySet());
    }

    /** Returns the statements of a section that contains no failing statement. */
    public String[] statements(String section) {
        return section(section).statements().stream().map(Statement::text).toArray(String[]::new);
    }

    /** Returns the only statement of a section. */
    public String statement(String section) {
        String[] statements = statements(section);
        if (statements.length != 1) {
            throw new IllegalArgumentException(
                    "%s has %d statements in %s".formatted(file, statements.length, section));
        }
        return statements[0];
    }
}
