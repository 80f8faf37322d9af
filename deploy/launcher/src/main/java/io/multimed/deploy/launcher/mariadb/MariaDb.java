// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mariadb;

import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.deploy.launcher.mysqlfamily.FamilyMember;
import io.multimed.deploy.launcher.mysqlfamily.Installation;
import io.multimed.model.Role;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** MariaDB's part of the launcher for the MySQL family. */
record MariaDb() implements FamilyMember {
    private static final List<String> INITIALISERS = List.of("mariadb-install-db", "mysql_install_db");

    @Override
    public String title() {
        return "MariaDB";
    }

    /**
     * Initializes data whose user can connect through a socket only. The server has no socket until the first start
     * gives the user a password, so that no other process can connect before.
     */
    @Override
    public List<String> initialisation(ServerHome home, Installation installation, Path settings) {
        Path initialiser = installation
                .program(INITIALISERS)
                .orElseThrow(() -> new EngineException("%s: there is no %s in bin/ or scripts/ of %s (installation)"
                        .formatted(home.node().name(), INITIALISERS.get(0), installation.base())));
        return List.of(
                initialiser.toString(),
                "--defaults-file=" + settings,
                "--basedir=" + installation.base(),
                "--datadir=" + home.unfinished(),
                "--auth-root-authentication-method=socket",
                "--skip-test-db",
                "--force"); // without --force, initialization fails if the machine's name has no address
    }

    @Override
    public String logSize() {
        return "innodb_log_file_size";
    }

    /**
     * Without skip_ssl, the server would generate a certificate at every start, which takes seconds.
     * innodb_snapshot_isolation turns REPEATABLE READ into snapshot isolation. Versions without this setting ignore the
     * line at the start; Multimed refuses them as masters. A statement of a reader that needs a larger temporary table
     * runs on the master.
     */
    @Override
    public List<String> settings(ServerHome home) {
        List<String> lines = new ArrayList<>(List.of("skip_ssl", "loose_innodb_snapshot_isolation = ON"));
        if (home.node().role() == Role.SATELLITE) {
            lines.add("tmp_disk_table_size = " + home.node().memory().bytes());
        }
        return lines;
    }

    @Override
    public String urlProperties() {
        return "?sslMode=DISABLED";
    }
}
