// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.change;

import io.multimed.deploy.command.DatabaseOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Changes a running middleware to another System Model: shows a plan, and makes those changes that need no restart of
 * the middleware, after a confirmation. The middleware reads the model, and resolves the files and environment
 * variables that the model names.
 */
@Command(
        name = "apply",
        description = {
            "Change a running middleware to another System Model.",
            "Shows a plan, asks, and then makes the changes in a safe order: settings, cores, new satellites, changed satellites, removed satellites, users."
                    + " Changes that need a restart of multimed up are listed, and left. Requires an administrator if the model defines users."
        },
        exitCodeList = {
            "0:the running system corresponds to the model, except for what needs a restart",
            "1:a change failed, or the changes were not confirmed",
            "2:the options or the model are wrong; nothing was changed"
        },
        footer = {
            "  multimed apply --model deploy/models/quickstart.yaml",
            "  multimed apply --model deploy/models/quickstart.yaml --yes --wait 300"
        },
        mixinStandardHelpOptions = true)
public final class ApplyCommand implements Callable<Integer> {
    private static final String INVALID = "22023";

    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--model", description = "The new System Model, a YAML file.", required = true)
    private Path model;

    @Option(names = "--yes", description = "Make the changes without asking; required if the input is no terminal.")
    private boolean yes;

    @Option(
            names = "--wait",
            description =
                    "Seconds to wait for transactions on a satellite that has to be drained; then this step fails, and the satellite serves as before. Default: ${DEFAULT-VALUE}",
            defaultValue = "60")
    private int seconds;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public ApplyCommand() {}

    @Override
    public Integer call() throws Exception {
        if (seconds < 0 || seconds > TimeUnit.DAYS.toSeconds(1)) {
            throw new IllegalArgumentException("--wait must be from 0 to 86400 seconds");
        }
        if (!Files.isReadable(model)) {
            throw new IllegalArgumentException("--model: %s cannot be read".formatted(model));
        }
        String definition = "'" + Files.readString(model).replace("'", "''") + "'";
        Administrator administrator = new Administrator(database.single());
        try {
            return apply(administrator, definition);
        } catch (SQLException e) {
            if (INVALID.equals(e.getSQLState())) {
                throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
            }
            throw e;
        }
    }

    private int apply(Administrator administrator, String definition) throws SQLException, IOException {
        PrintWriter out = spec.commandLine().getOut();
        List<Map<String, String>> plan = administrator.rows("ALTER MULTIMED MODEL PLAN " + definition);
        plan.forEach(change -> out.println(line(change)));
        long later = plan.stream().filter(ApplyCommand::isLater).count();
        long now = plan.size() - later;
        out.println(
                plan.isEmpty()
                        ? "The running system corresponds to %s.".formatted(model)
                        : "Plan for %s: %d to change now, %d at the next start of multimed up."
                                .formatted(model, now, later));
        out.flush();
        if (now == 0) {
            return 0;
        }
        if (!isConfirmed()) {
            out.println("Nothing was changed.");
            return 1;
        }
        String fingerprint = plan.get(0).get("plan");
        return report(
                administrator.rows(
                        "ALTER MULTIMED MODEL APPLY %s PLAN '%s' WAIT %d".formatted(definition, fingerprint, seconds)),
                later);
    }

    private static boolean isLater(Map<String, String> change) {
        return text(change, "effect").startsWith("at the next start");
    }

    private static String text(Map<String, String> row, String column) {
        return Objects.requireNonNull(row.get(column));
    }

    /** Returns a change as one line: the sign, what changes, the values, and when. */
    private static String line(Map<String, String> change) {
        String key = text(change, "key");
        String before = text(change, "before");
        String after = text(change, "after");
        String values = key.isEmpty()
                ? before + after
                : "%s -> %s".formatted(before.isEmpty() ? "(none)" : before, after.isEmpty() ? "(none)" : after);
        String note = text(change, "note");
        return "  %s %s%s%s  [%s%s]"
                .formatted(
                        text(change, "change"),
                        text(change, "object"),
                        key.isEmpty() ? "" : " " + key,
                        values.isEmpty() ? "" : ": " + values,
                        text(change, "effect"),
                        note.isEmpty() ? "" : ": " + note);
    }

    /** Asks on a terminal. The start script knows whether the input is one, because a Java program cannot. */
    private boolean isConfirmed() throws IOException {
        if (yes) {
            return true;
        }
        if (!Boolean.getBoolean("multimed.input-terminal")) {
            spec.commandLine().getErr().println("The input is no terminal: confirm the changes with --yes.");
            return false;
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print("Make these changes? [yes/no] ");
        out.flush();
        @Nullable
        String answer = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
        return answer != null && answer.strip().equalsIgnoreCase("yes");
    }

    private int report(List<Map<String, String>> steps, long later) {
        PrintWriter out = spec.commandLine().getOut();
        for (Map<String, String> step : steps) {
            String detail = text(step, "detail");
            out.printf(
                    "%-8s  %s%s%n", text(step, "outcome"), text(step, "step"), detail.isEmpty() ? "" : ": " + detail);
        }
        boolean failed = steps.stream().anyMatch(step -> !text(step, "outcome").equals("done"));
        if (failed) {
            out.println("The steps that are done remain. Remove the cause, and run multimed apply again.");
            out.flush();
            return 1;
        }
        out.printf(
                "Done. Start multimed up with %s from now on, so that the next start gives the same state.%s%n",
                model, later == 0 ? "" : " %d changes take effect only then.".formatted(later));
        out.flush();
        return 0;
    }
}
