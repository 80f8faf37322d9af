// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.pooler.Pooler;
import io.multimed.deploy.launcher.pooler.PoolerSpec;
import io.multimed.deploy.launcher.pooler.Version;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Pgpool-II in front of one server, without load balancing, cache and watchdog. Each client has a process of Pgpool-II
 * and a connection to the server of its own. The mode is that for streaming replication, the usual one; in raw mode,
 * Pgpool-II 4.3 reports an open transaction after an update in auto-commit.
 */
final class Pgpool implements Pooler {
    private static final String SETTINGS = "pgpool.conf";
    private static final String USERS = "pool_passwd";
    private static final String ACCESS = "pool_hba.conf";
    private static final String CONTROL = "pcp.conf";

    /** Processes beside those of the measured clients: one is reserved, and one client tests the start. */
    private static final int SPARE = 4;

    @Override
    public String name() {
        return "pgpool";
    }

    @Override
    public String title() {
        return "Pgpool-II";
    }

    @Override
    public String program() {
        return "pgpool";
    }

    @Override
    public String debianPackage() {
        return "pgpool2";
    }

    @Override
    public Map<String, String> files(Path folder, PoolerSpec spec, Version version) {
        RunningEngine engine = spec.engine();
        StringBuilder settings = new StringBuilder();
        settings(folder, spec, version)
                .forEach((key, value) -> settings.append(key)
                        .append(" = '")
                        .append(value.replace("'", "''"))
                        .append("'\n"));
        return Map.of(
                SETTINGS,
                settings.toString(),
                USERS,
                "%s:TEXT%s%n".formatted(engine.user(), engine.password()),
                ACCESS,
                "host all all 127.0.0.1/32 scram-sha-256\n",
                CONTROL,
                "");
    }

    private static Map<String, String> settings(Path folder, PoolerSpec spec, Version version) {
        int processes = Math.min(spec.clients() + SPARE, spec.engineConnections());
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("backend_clustering_mode", "streaming_replication");
        settings.put("listen_addresses", "127.0.0.1");
        settings.put("port", Integer.toString(spec.port()));
        settings.put(version.isAtLeast(4, 4) ? "unix_socket_directories" : "socket_dir", folder.toString());
        settings.put("pcp_listen_addresses", "");
        settings.put("pcp_socket_dir", folder.toString());
        settings.put("pid_file_name", folder.resolve("pgpool.pid").toString());
        settings.put("logdir", folder.toString());
        settings.put("backend_hostname0", spec.host());
        settings.put("backend_port0", Integer.toString(spec.engine().node().port()));
        settings.put("backend_weight0", "1");
        settings.put("backend_flag0", "ALWAYS_PRIMARY|DISALLOW_TO_FAILOVER");
        settings.put("enable_pool_hba", "on");
        settings.put("pool_passwd", USERS);
        settings.put("num_init_children", Integer.toString(processes));
        // Otherwise, clients beyond the number of processes would wait without a message.
        settings.put("reserved_connections", "1");
        settings.put("max_pool", "1");
        settings.put("child_life_time", "0");
        // Otherwise, each connection attempt would wake up all idle processes.
        settings.put("serialize_accept", processes > 64 ? "on" : "off");
        settings.put("load_balance_mode", "off");
        settings.put("sr_check_period", "0");
        settings.put("health_check_period", "0");
        settings.put("check_temp_table", "none");
        settings.put("check_unlogged_table", "off");
        settings.put("log_client_messages", "off");
        return settings;
    }

    @Override
    public List<String> command(Path program, Path folder) {
        return List.of(
                program.toString(),
                "-n",
                "-D",
                "-f",
                folder.resolve(SETTINGS).toString(),
                "-F",
                folder.resolve(CONTROL).toString(),
                "-a",
                folder.resolve(ACCESS).toString());
    }

    /** Ends the connections of clients, and removes the shared memory. */
    @Override
    public String stopSignal(Version version) {
        return "INT";
    }

    @Override
    public Map<String, String> driverSettings(Version version) {
        return Map.of();
    }

    @Override
    public String remark(Version version) {
        return "Pgpool-II has a process and a connection to the engine for each client, and so accepts no more clients than the engine";
    }
}
