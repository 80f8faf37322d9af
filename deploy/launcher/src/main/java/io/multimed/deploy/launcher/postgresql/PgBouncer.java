// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.pooler.Pooler;
import io.multimed.deploy.launcher.pooler.PoolerSpec;
import io.multimed.deploy.launcher.pooler.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** PgBouncer in transaction mode: clients share few connections to the server, a transaction each. */
final class PgBouncer implements Pooler {
    private static final String SETTINGS = "pgbouncer.ini";
    private static final String USERS = "userlist.txt";

    @Override
    public String name() {
        return "pgbouncer";
    }

    @Override
    public String title() {
        return "PgBouncer";
    }

    @Override
    public String program() {
        return "pgbouncer";
    }

    @Override
    public String debianPackage() {
        return "pgbouncer";
    }

    /** The file of users contains the plain password, which PgBouncer needs to log in to the server by SCRAM. */
    @Override
    public Map<String, String> files(Path folder, PoolerSpec spec, Version version) {
        RunningEngine engine = spec.engine();
        String settings = """
                [databases]
                %s = host='%s' port=%d

                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = scram-sha-256
                auth_file = %s
                pool_mode = transaction
                max_client_conn = %d
                default_pool_size = %d
                ignore_startup_parameters = extra_float_digits
                log_connections = 0
                log_disconnections = 0
                """.formatted(
                                spec.database(),
                                spec.host(),
                                engine.node().port(),
                                spec.port(),
                                folder.resolve(USERS),
                                spec.clients() + 10,
                                spec.pool())
                + (preparesStatements(version) ? "max_prepared_statements = 200\n" : "");
        return Map.of(SETTINGS, settings, USERS, "\"%s\" \"%s\"%n".formatted(engine.user(), engine.password()));
    }

    /** Since 1.21, PgBouncer prepares a client's statements on each connection to the server that it uses. */
    private static boolean preparesStatements(Version version) {
        return version.isAtLeast(1, 21);
    }

    @Override
    public List<String> command(Path program, Path folder) {
        return List.of(program.toString(), folder.resolve(SETTINGS).toString());
    }

    /** Since 1.23, SIGTERM waits for clients. */
    @Override
    public String stopSignal(Version version) {
        return version.isAtLeast(1, 23) ? "QUIT" : "TERM";
    }

    @Override
    public Map<String, String> driverSettings(Version version) {
        return preparesStatements(version) ? Map.of() : Map.of("prepareThreshold", "0");
    }

    @Override
    public String remark(Version version) {
        return preparesStatements(version)
                ? ""
                : "PgBouncer %s does not support prepared statements in transaction mode (1.21 does): its clients use prepareThreshold=0, so that the engine parses and plans each statement again"
                        .formatted(version);
    }
}
