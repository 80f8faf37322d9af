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
 * What tests say in an engine's own words: a file of SQL in the engine's folder of the test resources. A line {@code -- name: ...} begins a section. A statement ends where a line ends
 * with a semicolon and the next one is not indented. Beside that, lines that begin with two dashes are for readers, but for these:
 * <ul>
 * <li>{@code -- not here: why}, or {@code -- not on ENGINE: why} where engines share a folder: the engine has nothing of the kind. Tests of the section are skipped with that sentence.
 * <li>{@code -- refused: words}: Multimed refuses the statement that follows, with SQLState 0A000 and these words among others.
 * <li>{@code -- fails: SQLState}: the engine refuses the statement that follows.
 * </ul>
 */
public final class EngineSql {
    /** A line for readers, or a statement without its semicolon. */
    private static final Pattern ITEM = Pattern.compile("(?m)^-- (.*)$|^(?s:(\\S.*?));$(?!\\n )");

    private final String file;
    private final Map<String, Section> sections = new LinkedHashMap<>();

    /**
     * @param sqlState with which it fails; empty if it does not
     * @param words of the message then
     */
    public record Statement(String text, String sqlState, String words) {
        /** Runs it, and asserts that it ends as the file says. */
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

    /** @param notHere why the engine has nothing of the kind; empty if it has */
    public record Section(List<Statement> statements, String notHere) {
        /** Runs all of it, each statement in a transaction of its own unless they say otherwise; where the engine has nothing of the kind, the test is skipped. */
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

    /** The names of all sections, in the file's order. */
    public List<String> sections() {
        return List.copyOf(sections.keySet());
    }

    /** The statements of a section of which none fails. */
    public String[] statements(String section) {
        return section(section).statements().stream().map(Statement::text).toArray(String[]::new);
    }

    /** The only statement of a section. */
    public String statement(String section) {
        String[] statements = statements(section);
        if (statements.length != 1) {
            throw new IllegalArgumentException(
                    "%s has %d statements in %s".formatted(file, statements.length, section));
        }
        return statements[0];
    }
}
