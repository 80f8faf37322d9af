// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mysql;

import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.mysqlfamily.FamilyMember;
import io.multimed.deploy.launcher.mysqlfamily.Installation;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** MySQL's part of the launcher for the MySQL family. */
record MySql() implements FamilyMember {
    /**
     * Settings that let Multimed list the variables, locks and prepared statements of a client's session on the master.
     * All other instruments are disabled for the sake of speed.
     */
    private static final List<String> LISTING_SESSIONS = List.of(
            "performance_schema = ON",
            "performance_schema_instrument = '%=OFF'",
            "performance_schema_instrument = 'wait/lock/metadata/sql/mdl=ON'",
            "performance_schema_instrument = 'statement/abstract/Query=ON'",
            "performance_schema_instrument = 'statement/abstract/new_packet=ON'",
            "performance_schema_instrument = 'statement/sql/prepare_sql=ON'",
            "performance_schema_digests_size = 0",
            "performance_schema_error_size = 0",
            "performance_schema_events_statements_history_long_size = 0",
            "performance_schema_events_stages_history_long_size = 0",
            "performance_schema_events_transactions_history_long_size = 0",
            "performance_schema_events_waits_history_long_size = 0");

    @Override
    public String title() {
        return "MySQL";
    }

    /**
     * Initializes data whose user has no password. The server sets the password at the first start, before the server
     * accepts connections.
     */
    @Override
    public List<String> initialisation(ServerHome home, Installation installation, Path settings) {
        List<String> command = new ArrayList<>(installation.server());
        command.add("--defaults-file=" + settings);
        command.add("--initialize-insecure");
        return command;
    }

    @Override
    public String logSize() {
        return "innodb_redo_log_capacity";
    }

    @Override
    public List<String> settings(ServerHome home) {
        List<String> lines =
                new ArrayList<>(List.of("mysqlx = OFF", "auto_generate_certs = OFF", "log_error_verbosity = 2"));
        if (home.node().data().storage() == Storage.MEMORY) {
            lines.add("innodb_flush_method = fsync");
            lines.add("innodb_temp_tablespaces_dir = \"" + home.temporary() + "\""); // for large temporary tables
        }
        if (home.node().role() == Role.MASTER) {
            lines.addAll(LISTING_SESSIONS);
        }
        return lines;
    }

    /**
     * Disables TLS, because the connection stays on loopback. The password is still encrypted, with the server's public
     * key.
     */
    @Override
    public String urlProperties() {
        return "?sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }
}
