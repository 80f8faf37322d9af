// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the settings of a server, from the definition of its node in the System Model. */
final class PostgresSettings {
    /** Connections for Multimed's own tasks and for administrators of the engine. */
    private static final int SPARE_CONNECTIONS = 30;

    /** Connections of a master for each one of its pool: idle connections of roles remain open for a while. */
    private static final int MASTER_POOLS = 4;

    private static final int SATELLITE_POOLS = 2;

    /** Locks that the lock table of a master holds, unless the pool is large; each needs about 270 bytes. */
    private static final int MASTER_LOCKS = 24_064;

    /** The engine's default of locks for each connection. */
    private static final int LOCKS_OF_CONNECTION = 64;

    /** The settings that a standby must not have smaller than its primary. */
    private static final List<String> LIMITS_OF_PRIMARY = List.of(
            "max_connections",
            "max_locks_per_transaction",
            "max_prepared_transactions",
            "max_wal_senders",
            "max_worker_processes");

    /** The setting for folders of Unix-domain sockets. */
    static final String SOCKETS = "unix_socket_directories";

    private PostgresSettings() {}

    static String file(NodeSpec node, int port, Optional<Path> socket, Map<String, String> additional) {
        Map<String, String> settings = new LinkedHashMap<>();
        common(settings, node, port, socket);
        if (node.role() == Role.SATELLITE) {
            relax(settings);
            // of one process; a statement that needs more runs on the master
            settings.put("temp_file_limit", node.memory().toMegabytes() + "MB");
        }
        settings.putAll(additional);
        return text(settings, node);
    }

    /**
     * Returns the settings of a standby. The engine requires that those which limit transactions and sessions are at
     * least as large as the primary's.
     *
     * @param upstream the connection string of the primary
     * @param slot the replication slot on the primary
     */
    static String standby(
            NodeSpec node, int port, Optional<Path> socket, NodeSpec primary, String upstream, String slot) {
        Map<String, String> settings = new LinkedHashMap<>();
        common(settings, node, port, socket);
        Map<String, String> ofPrimary = new LinkedHashMap<>();
        common(ofPrimary, primary, port, socket);
        ofPrimary.putAll(primary.settings());
        for (String limit : LIMITS_OF_PRIMARY) {
            if (ofPrimary.containsKey(limit)) {
                settings.put(limit, ofPrimary.get(limit));
            }
        }
        settings.put("primary_conninfo", upstream);
        settings.put("primary_slot_name", slot);
        settings.put("hot_standby", "on");
        // Rows that readers of the standby still see are not removed on the primary, so that readers are not canceled.
        settings.put("hot_standby_feedback", "on");
        settings.put("wal_receiver_status_interval", "1s");
        // All readers of the standby wait for one that conflicts with the log: that read is canceled, and moves to the
        // master.
        settings.put("max_standby_streaming_delay", "1s");
        settings.put("wal_retrieve_retry_interval", "100ms");
        settings.put("fsync", "off");
        settings.put("full_page_writes", "off");
        settings.put("checkpoint_timeout", "30min");
        settings.put("temp_file_limit", node.memory().toMegabytes() + "MB");
        settings.put("dynamic_shared_memory_type", "mmap"); // see relax()
        return text(settings, node);
    }

    private static String text(Map<String, String> settings, NodeSpec node) {
        settings.putAll(node.settings());
        StringBuilder file = new StringBuilder("# Written by Multimed at every start.\n");
        settings.forEach((key, value) ->
                file.append(key).append(" = '").append(value.replace("'", "''")).append("'\n"));
        return file.toString();
    }

    private static void common(Map<String, String> settings, NodeSpec node, int port, Optional<Path> socket) {
        long megabytes = node.memory().toMegabytes();
        settings.put("listen_addresses", "127.0.0.1");
        settings.put("port", Integer.toString(port));
        settings.put(
                SOCKETS,
                socket.map(Path::getParent)
                        .map(folder -> quoted(folder.toString()))
                        .orElse(""));
        settings.put("unix_socket_permissions", "0700");
        int pools = node.role() == Role.MASTER ? MASTER_POOLS : SATELLITE_POOLS;
        settings.put("max_connections", Integer.toString(connections(node, pools)));
        settings.put("max_locks_per_transaction", Integer.toString(locksOfConnection(node)));
        settings.put("shared_buffers", Math.max(16, megabytes / 4) + "MB");
        settings.put("effective_cache_size", Math.max(32, megabytes * 3 / 4) + "MB");
        settings.put("max_wal_size", "2GB");
        settings.put("random_page_cost", "1.1");
        settings.put("autovacuum_naptime", "15s");
        // For queries of milliseconds, compilation costs more time than compiled code saves.
        settings.put("jit", "off");
        settings.put("log_min_messages", "warning");
        settings.put("lc_messages", "C");
    }

    private static int connections(NodeSpec node, int pools) {
        return pools * node.pool() + SPARE_CONNECTIONS;
    }

    /**
     * Returns the number of locks for each connection. The lock table of a satellite, which has about half as many
     * connections, holds at least twice as many locks as that of a master with the same pool: a satellite locks all
     * that a transaction of the master has created, and a copy locks all tables.
     */
    private static int locksOfConnection(NodeSpec node) {
        int ofMaster = Math.max(LOCKS_OF_CONNECTION, MASTER_LOCKS / connections(node, MASTER_POOLS));
        return node.role() == Role.MASTER ? ofMaster : 2 * MASTER_POOLS / SATELLITE_POOLS * ofMaster;
    }

    /** Quotes a folder in a list of folders. */
    private static String quoted(String folder) {
        return '"' + folder.replace("\"", "\"\"") + '"';
    }

    /**
     * Relaxes durability: a satellite's data is a copy, and need not survive a crash (paper §3.4). Omits the paper's
     * commit_delay, which would delay commits although no commit flushes the log.
     */
    private static void relax(Map<String, String> settings) {
        settings.put("fsync", "off");
        settings.put("full_page_writes", "off");
        settings.put("synchronous_commit", "off");
        settings.put("wal_level", "minimal");
        settings.put("max_wal_senders", "0");
        settings.put("wal_writer_delay", "10s");
        settings.put("checkpoint_timeout", "30min");
        settings.put("autovacuum_vacuum_insert_scale_factor", "0.02"); // scans of indexes alone need vacuumed rows
        settings.put(
                "dynamic_shared_memory_type",
                "mmap"); // in the data folder: removed with the data, even if the server was killed
    }
}
