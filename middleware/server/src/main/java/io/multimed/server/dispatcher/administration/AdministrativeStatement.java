package io.multimed.server.dispatcher.administration;

import io.multimed.server.dispatcher.administration.Administration.DrainOptions;
import io.multimed.server.propagation.replication.Drift;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A statement that changes or verifies the running system; for administrators only. The name of a satellite may be
 * enclosed in double quotes, which are necessary only for keywords.
 */
sealed interface AdministrativeStatement {
    String SYNTAX = """
            ALTER MULTIMED SATELLITE name ADD 'definition in YAML', \
            ALTER MULTIMED SATELLITE name DRAIN|REMOVE|RESEED [WAIT seconds] [FORCE], \
            ALTER MULTIMED SATELLITE name RESUME, or VERIFY MULTIMED [SATELLITE name] [REPAIR]""";

    /** Characters of a statement that the audit log contains. */
    int LONGEST_SHOWN = 300;

    /** Default time to wait for running transactions. */
    Duration STANDARD_WAIT = Duration.ofSeconds(60);

    /** Runs the statement. Returns the differences found; null if the statement is not a comparison. */
    @Nullable
    List<Drift> run(Administration administration) throws SQLException, InterruptedException;

    /** A change of one satellite. */
    record Change(String name, Action action) implements AdministrativeStatement {
        @Override
        public @Nullable List<Drift> run(Administration administration) throws SQLException, InterruptedException {
            action.run(administration, name);
            return null;
        }
    }

    /** An operation on a satellite. */
    interface Action {
        void run(Administration administration, String name) throws SQLException, InterruptedException;
    }

    /** A comparison of all satellites, or of one. */
    record Verify(Optional<String> satellite, boolean repair) implements AdministrativeStatement {
        @Override
        public List<Drift> run(Administration administration) throws SQLException, InterruptedException {
            return administration.verify(satellite, repair);
        }
    }

    /**
     * Parses a statement.
     *
     * @throws SQLException 42601 with the complete syntax if the statement has none of these forms
     */
    static AdministrativeStatement parse(String sql) throws SQLException {
        Matcher verify = Patterns.VERIFY.matcher(sql);
        if (verify.matches()) {
            return new Verify(Optional.ofNullable(verify.group("name")), verify.group("repair") != null);
        }
        Matcher change = Patterns.CHANGE.matcher(sql);
        if (change.matches()) {
            return new Change(change.group("name"), action(change));
        }
        throw new SQLException("syntax error; the administrative statements are: " + SYNTAX, "42601");
    }

    /** Returns the statement for the audit log: the definition of a satellite can contain a password. */
    static String withoutDefinition(String sql) {
        int begin = sql.indexOf('\'');
        String shown = begin < 0 ? sql : sql.substring(0, begin) + "?";
        return shown.substring(0, Math.min(LONGEST_SHOWN, shown.length())).strip();
    }

    private static Action action(Matcher statement) {
        String definition = statement.group("definition");
        if (definition != null) {
            return (administration, name) -> administration.add(name, definition.replace("''", "'"));
        }
        String verb = statement.group("verb");
        if (verb == null) {
            return Administration::resume;
        }
        String wait = statement.group("wait");
        DrainOptions options = new DrainOptions(
                wait == null ? STANDARD_WAIT : Duration.ofSeconds(Integer.parseInt(wait)),
                statement.group("force") != null);
        return switch (verb.toUpperCase(Locale.ROOT)) {
            case "DRAIN" -> (administration, name) -> administration.drain(name, options);
            case "REMOVE" -> (administration, name) -> administration.remove(name, options);
            default -> (administration, name) -> administration.reseed(name, options);
        };
    }

    /** Regular expressions of the statements. */
    final class Patterns {
        private static final String NAME = "(?<quote>\"?)(?<name>[a-z][a-z0-9_-]{0,62})\\k<quote>";

        static final Pattern VERIFY =
                pattern("\\s*VERIFY\\s+MULTIMED(?:\\s+SATELLITE\\s+" + NAME + ")?(?<repair>\\s+REPAIR)?\\s*;?\\s*");

        static final Pattern CHANGE = pattern("\\s*ALTER\\s+MULTIMED\\s+SATELLITE\\s+" + NAME
                + "\\s+(?:ADD\\s+'(?<definition>(?:[^']|'')*+)'|RESUME"
                + "|(?<verb>DRAIN|REMOVE|RESEED)(?:\\s+WAIT\\s+(?<wait>\\d{1,6}))?(?<force>\\s+FORCE)?)\\s*;?\\s*");

        private Patterns() {}

        private static Pattern pattern(String text) {
            return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
        }
    }
}
