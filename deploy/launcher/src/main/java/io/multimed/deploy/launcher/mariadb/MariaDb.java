package io.multimed.deploy.launcher.mariadb;

import io.multimed.deploy.launcher.EngineException;
import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.mysqlfamily.FamilyMember;
import io.multimed.deploy.launcher.mysqlfamily.Installation;
import java.nio.file.Path;
import java.util.List;

/** MariaDB's own ways. */
record MariaDb() implements FamilyMember {
    private static final List<String> INITIALISERS = List.of("mariadb-install-db", "mysql_install_db");

    @Override
    public String title() {
        return "MariaDB";
    }

    /** The user can then only connect through a socket, and there is none: nobody is faster than the first start, which gives it a password. */
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
                "--force"); // otherwise it fails where the machine's name has no address
    }

    @Override
    public String logSize() {
        return "innodb_log_file_size";
    }

    /**
     * Without skip_ssl the server would generate a certificate at every start, which takes seconds. The second setting
     * makes REPEATABLE READ snapshot isolation; versions without it ignore it at the start, and are refused as masters.
     */
    @Override
    public List<String> settings(ServerHome home) {
        return List.of("skip_ssl", "loose_innodb_snapshot_isolation = ON");
    }

    @Override
    public String urlProperties() {
        return "?sslMode=DISABLED";
    }
}
