// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs commands under the account {@code nobody}. Only root can do this; tests are skipped for other accounts. */
public final class OtherAccount {
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    private OtherAccount() {}

    /** Aborts the test, with a line on the standard output, unless commands can be run under another account. */
    public static void skipUnlessAvailable() {
        if (!System.getProperty("user.name").equals("root") || !Files.isExecutable(SETPRIV)) {
            String why = "only root can run a client under another account, with /usr/bin/setpriv (util-linux)";
            System.out.println("SKIPPED: clients of another account are not tested: " + why);
            abort(why);
        }
    }

    /** Starts a script of bash, whose redirections to {@code /dev/tcp} open connections. */
    public static Process start(String script) throws IOException {
        return new ProcessBuilder(List.of(
                        SETPRIV.toString(),
                        "--reuid=nobody",
                        "--regid=65534",
                        "--clear-groups",
                        "--",
                        "bash",
                        "-c",
                        script))
                .directory(Path.of("/").toFile())
                .start();
    }
}
