// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.server.dispatcher.administration.Administration.DrainOptions;
import java.sql.SQLException;
import java.time.Duration;
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
            ALTER MULTIMED SATELLITE name DRAIN|REMOVE|RESEED|RESTART [WAIT seconds] [FORCE], \
            ALTER MULTIMED SATELLITE name RESUME, \
            ALTER MULTIMED MASTER PAUSE [WAIT seconds], \
            ALTER MULTIMED MASTER RESTART [WAIT seconds] [FORCE], \
            ALTER MULTIMED MASTER RESUME, \
            ALTER MULTIMED MODEL PLAN 'model in YAML', \
            ALTER MULTIMED MODEL APPLY 'model in YAML' [PLAN 'fingerprint'] [WAIT seconds], \
            or VERIFY MULTIMED [SATELLITE name] [REPAIR]""";

    /** Characters of a statement that the audit log contains. */
    int MAX_SHOWN_LENGTH = 300;

    /** Default time to wait for running transactions. */
    Duration STANDARD_WAIT = Duration.ofSeconds(60);

    /** Default time to wait for running transactions while clients wait for the master. */
    Duration STANDARD_PAUSE = Duration.ofSeconds(10);

    /** Runs the statement. Returns its result; null if it has none. */
    @Nullable
    ResultTable execute(Administration administration) throws SQLException, InterruptedException;

    /** A change of one satellite. */
    record Change(String name, Action action) implements AdministrativeStatement {
        @Override
        public @Nullable ResultTable execute(Administration administration) throws SQLException, InterruptedException {
            action.execute(administration, name);
            return null;
        }
    }

    /** An operation on a satellite. */
    interface Action {
        void execute(Administration administration, String name) throws SQLException, InterruptedException;
    }

    /** A comparison of all satellites, or of one. */
    record Verify(Optional<String> satellite, boolean repair) implements AdministrativeStatement {
        @Override
        public ResultTable execute(Administration administration) throws SQLException, InterruptedException {
            return DriftReport.of(administration.verify(satellite, repair));
        }
    }

    /** A comparison of the running system with a model. */
    record Plan(String definition) implements AdministrativeStatement {
        @Override
        public ResultTable execute(Administration administration) throws SQLException {
            return ModelReport.plan(administration.plan(definition));
        }
    }

    /** A change of the running system to a model. */
    record Apply(String definition, Optional<String> plan, Duration patience) implements AdministrativeStatement {
        @Override
        public ResultTable execute(Administration administration) throws SQLException, InterruptedException {
            return ModelReport.steps(administration.apply(definition, plan, patience));
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
        Matcher master = Patterns.MASTER.matcher(sql);
        if (master.matches()) {
            return new Change("", masterAction(master));
        }
        Matcher model = Patterns.MODEL.matcher(sql);
        if (model.matches()) {
            String definition = model.group("definition").replace("''", "'");
            return model.group("verb").equalsIgnoreCase("PLAN")
                    ? new Plan(definition)
                    : new Apply(definition, Optional.ofNullable(model.group("plan")), wait(model, STANDARD_WAIT));
        }
        throw new SQLException("syntax error; the administrative statements are: " + SYNTAX, "42601");
    }

    /**
     * Returns the statement for the audit log: a model, and the definition of a satellite, can contain passwords. They
     * are left out however they are quoted, because a statement that is refused is recorded, too.
     */
    static String withoutDefinition(String sql) {
        Matcher defines = Patterns.DEFINES.matcher(sql);
        if (defines.lookingAt() && defines.end() < sql.length()) {
            return defines.group().strip() + " ?";
        }
        int begin = sql.indexOf('\'');
        String shown = begin < 0 ? sql : sql.substring(0, begin) + "?";
        return shown.substring(0, Math.min(MAX_SHOWN_LENGTH, shown.length())).strip();
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
        DrainOptions options = options(statement, STANDARD_WAIT);
        return switch (verb.toUpperCase(Locale.ROOT)) {
            case "DRAIN" -> (administration, name) -> administration.drain(name, options);
            case "RESTART" -> (administration, name) -> administration.restart(name, options);
            case "REMOVE" -> (administration, name) -> administration.remove(name, options);
            default -> (administration, name) -> administration.reseed(name, options);
        };
    }

    private static Action masterAction(Matcher statement) {
        String verb = statement.group("verb");
        if (verb == null) {
            return (administration, name) -> administration.resumeMaster();
        }
        DrainOptions options = options(statement, STANDARD_PAUSE);
        return verb.equalsIgnoreCase("RESTART")
                ? (administration, name) -> administration.restartMaster(options)
                : (administration, name) -> administration.pauseMaster(options.timeout());
    }

    private static DrainOptions options(Matcher statement, Duration standard) {
        return new DrainOptions(wait(statement, standard), statement.group("force") != null);
    }

    private static Duration wait(Matcher statement, Duration standard) {
        String wait = statement.group("wait");
        return wait == null ? standard : Duration.ofSeconds(Integer.parseInt(wait));
    }

    /** Regular expressions of the statements. */
    final class Patterns {
        private static final String NAME = "(?<quote>\"?)(?<name>[a-z][a-z0-9_-]{0,62})\\k<quote>";

        private static final String WAIT = "(?:\\s+WAIT\\s+(?<wait>\\d{1,6}))?";

        static final Pattern VERIFY =
                pattern("\\s*VERIFY\\s+MULTIMED(?:\\s+SATELLITE\\s+" + NAME + ")?(?<repair>\\s+REPAIR)?\\s*;?\\s*");

        static final Pattern CHANGE = pattern("\\s*ALTER\\s+MULTIMED\\s+SATELLITE\\s+" + NAME
                + "\\s+(?:ADD\\s+'(?<definition>(?:[^']++|'')*+)'|RESUME"
                + "|(?<verb>DRAIN|REMOVE|RESEED|RESTART)" + WAIT + "(?<force>\\s+FORCE)?)\\s*;?\\s*");

        static final Pattern MASTER = pattern("\\s*ALTER\\s+MULTIMED\\s+MASTER\\s+(?:RESUME|(?<verb>PAUSE|RESTART)"
                + WAIT + "(?<force>\\s+FORCE)?)\\s*;?\\s*");

        static final Pattern MODEL = pattern("\\s*ALTER\\s+MULTIMED\\s+MODEL\\s+"
                + "(?<verb>PLAN|APPLY)\\s+'(?<definition>(?:[^']++|'')*+)'"
                + "(?:\\s+PLAN\\s+'(?<plan>[0-9a-f]{1,64})')?" + WAIT + "\\s*;?\\s*");

        /** The beginning of a statement that continues with a definition. The name's length is bounded. */
        static final Pattern DEFINES =
                pattern("\\s*ALTER\\s+MULTIMED\\s+(?:MODEL\\s+(?:PLAN|APPLY)|SATELLITE\\s+[^\\s']{1,65}\\s+ADD)\\b");

        private Patterns() {}

        private static Pattern pattern(String text) {
            return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
        }
    }
}
