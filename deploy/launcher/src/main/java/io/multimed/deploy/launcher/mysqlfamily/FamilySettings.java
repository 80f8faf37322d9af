// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mysqlfamily;

import io.multimed.deploy.launcher.ServerHome;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the option file of a server, from the definition of its node in the System Model. If a setting occurs in two
 * lines, the later line is effective.
 */
final class FamilySettings {
    /** Connections for Multimed's own tasks and for administrators of the engine. */
    private static final int SPARE_CONNECTIONS = 30;

    /** The setting for the path of the Unix-domain socket. */
    static final String SOCKET = "socket";

    private final List<String> lines = new ArrayList<>(List.of("# Written by Multimed at every start.", "[mysqld]"));

    private FamilySettings() {}

    static String file(
            ServerHome home,
            Path data,
            Installation installation,
            FamilyMember member,
            int port,
            Optional<Path> socket) {
        FamilySettings settings = new FamilySettings();
        NodeSpec node = home.node();
        settings.places(home, data, installation);
        settings.common(node, port, socket);
        settings.set(member.logSize(), node.role() == Role.MASTER ? "256M" : "64M");
        if (node.role() == Role.SATELLITE) {
            settings.relax();
        }
        if (node.data().storage() == Storage.MEMORY) {
            settings.set("innodb_use_native_aio", "OFF"); // file systems in main memory have no native asynchronous I/O
        }
        settings.lines.addAll(member.settings(home));
        node.settings().forEach(settings::set);
        return String.join("\n", settings.lines) + "\n";
    }

    private void places(ServerHome home, Path data, Installation installation) {
        set("basedir", installation.base().toString());
        set("datadir", data.toString());
        set("tmpdir", home.temporary().toString());
        set("secure_file_priv", files(home).toString());
        installation.share("english/errmsg.sys").ifPresent(share -> set("lc_messages_dir", share.toString()));
        installation
                .share("charsets/Index.xml")
                .ifPresent(share ->
                        set("character_sets_dir", share.resolve("charsets").toString()));
        set("pid_file", home.folder().resolve("mysqld.pid").toString());
    }

    /**
     * Returns the only folder in which the server may read and write files for LOAD DATA and SELECT ... INTO OUTFILE.
     */
    static Path files(ServerHome home) {
        return home.folder().resolve("files");
    }

    private void common(NodeSpec node, int port, Optional<Path> socket) {
        set("bind_address", "127.0.0.1");
        set("port", Integer.toString(port));
        set(SOCKET, socket.map(Path::toString).orElse(""));
        set("max_connections", Integer.toString(2 * node.pool() + SPARE_CONNECTIONS));
        set("innodb_buffer_pool_size", Math.max(32, node.memory().toMegabytes() * 5 / 8) + "M");
        set("innodb_flush_log_at_trx_commit", "1");
        set("max_allowed_packet", "1G");
        set("character_set_server", "utf8mb4");
        set("default_time_zone", "+00:00");
        set("performance_schema", "OFF");
        flag("skip_log_bin"); // satellites apply WriteSets, not the binary log
    }

    /** Relaxes durability: a satellite's data is a copy, and need not survive a crash of the machine (paper §3.4). */
    private void relax() {
        set("innodb_flush_log_at_trx_commit", "0");
        set("innodb_doublewrite", "OFF");
        set("event_scheduler", "OFF"); // the master runs events; their changes arrive as WriteSets
    }

    private void flag(String name) {
        lines.add(name);
    }

    /** Adds a setting. The quotes protect spaces and number signs. */
    private void set(String name, String value) {
        lines.add("%s = \"%s\"".formatted(name, value.replace("\\", "\\\\").replace("\"", "\\\"")));
    }
}
