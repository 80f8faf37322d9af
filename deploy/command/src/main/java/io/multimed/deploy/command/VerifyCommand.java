// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.multimed.deploy.cluster.Verification;
import io.multimed.deploy.cluster.Verification.Finding;
import java.io.PrintWriter;
import java.sql.Connection;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Compares satellites with their master during operation. The exit code is 0 if the last comparison found no
 * difference.
 */
@Command(
        name = "verify",
        description = {
            "Compare every satellite with the master, row by row, each at one SCN, during operation.",
            "Requires an administrator if the model defines users."
        },
        exitCodeList = {
            "0:all satellites equal the master (after the repair, if requested)",
            "1:a table differs, or could not be compared",
            "2:the command line is wrong; nothing was compared"
        },
        footer = {"  multimed verify", "  multimed verify --satellite satellite-1 --json", "  multimed verify --repair"
        },
        mixinStandardHelpOptions = true)
public final class VerifyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--satellite", description = "Compare this satellite only.")
    private @Nullable String satellite;

    @Option(
            names = "--repair",
            description =
                    "Copy the master again to each satellite that differs, one after the other, and compare again.")
    private boolean repair;

    @Option(
            names = "--json",
            description =
                    "Print JSON: a list with one object per table, and one per row that differs (at most 100 per table).")
    private boolean json;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public VerifyCommand() {}

    /** Runs VERIFY MULTIMED on the middleware, which compares the copies itself; see {@link Verification}. */
    @Override
    public Integer call() throws Exception {
        Verification found;
        try (Connection connection = database.single().connect()) {
            found = Verification.run(connection, Optional.ofNullable(satellite), repair);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(asJson(found));
        } else {
            found.lines().forEach(out::println);
            if (found.findings().isEmpty()) {
                out.println("no table was compared: the database has no table, or Multimed has no satellite");
            }
        }
        out.flush();
        return found.isGood() ? 0 : 1;
    }

    /**
     * Returns a list with one object per finding. The names are those of the columns of VERIFY MULTIMED, except for
     * "table" and "detail".
     */
    private static String asJson(Verification found) {
        ArrayNode list = new ObjectMapper().createArrayNode();
        for (Finding finding : found.findings()) {
            list.addObject()
                    .put("run", finding.run())
                    .put("satellite", finding.satellite())
                    .put("scn", finding.scn())
                    .put("table", finding.table())
                    .put("outcome", finding.outcome())
                    .put("detail", finding.detail())
                    .put("rows", finding.rows());
        }
        return list.toPrettyString();
    }
}
