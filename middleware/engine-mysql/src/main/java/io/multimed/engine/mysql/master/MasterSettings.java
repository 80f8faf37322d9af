// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.mysql.sql.RoutineBodies;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks at the start that the settings of a master permit replication. An engine that Multimed did not start may have
 * any settings.
 */
public final class MasterSettings {
    private MasterSettings() {}

    /**
     * Returns whether the binary log contains statements. Newer versions may no longer have the setting, so that it is
     * looked up by SHOW.
     */
    private static boolean isLoggedByStatements(Connection master) throws SQLException {
        String format = "SHOW GLOBAL VARIABLES LIKE 'binlog_format'";
        return Queries.list(master, format, row -> row.getString(2)).contains("STATEMENT");
    }

    /**
     * Returns whether the server keeps transactions from overwriting changes outside their snapshots. MySQL has no
     * such setting; its transactions are certified instead (see {@link MySqlExtractor}).
     */
    private static boolean isSnapshotIsolated(Connection master) throws SQLException {
        String setting = "SHOW GLOBAL VARIABLES LIKE 'innodb_snapshot_isolation'";
        return !MySqlServer.isMariaDb(master)
                || Queries.list(master, setting, row -> row.getString(2)).contains("ON");
    }

    /** Returns whether the server lists the temporary tables for which the statement names no storage engine. */
    private static boolean listsNewTables(Connection master) throws SQLException {
        return MySqlServer.isMariaDb(master)
                || Queries.texts(master, "SELECT @@GLOBAL.default_tmp_storage_engine")
                        .contains("InnoDB");
    }

    /**
     * Checks durability, snapshot isolation, the binary log, the database of the URL, and the procedures in this
     * database. MariaDB and MySQL prevent lost updates by different means, so that the server must be the engine that
     * the System Model names.
     *
     * @param engine the engine's name in the System Model
     * @throws SQLException 0A000 with all problems
     */
    static void check(Connection master, String engine) throws SQLException {
        List<String> problems = new ArrayList<>();
        if (MySqlServer.isMariaDb(master) != engine.equals(MySqlServer.MARIADB)) {
            problems.add("the server is %s, but the System Model says engine: %s"
                    .formatted(MySqlServer.isMariaDb(master) ? "MariaDB" : "MySQL", engine));
        }
        String version = master.getMetaData().getDatabaseProductVersion();
        if (!MySqlServer.listsTemporaryTables(version)) {
            problems.add(
                    "the server is %s, which does not list the temporary tables of a session: other clients could find them; use MariaDB 11.2 or later"
                            .formatted(version));
        }
        if (Queries.number(master, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit") != 1) {
            problems.add(
                    "innodb_flush_log_at_trx_commit must be 1: a crash could lose commits that were already acknowledged to clients");
        }
        if (Queries.number(master, "SELECT @@GLOBAL.log_bin AND @@GLOBAL.sync_binlog <> 1") != 0) {
            problems.add(
                    "sync_binlog must be 1, or log_bin off: a crash could lose commits that were already acknowledged to clients");
        }
        if (Queries.number(master, "SELECT @@GLOBAL.log_bin") != 0 && isLoggedByStatements(master)) {
            problems.add(
                    "binlog_format must be ROW or MIXED, or log_bin off: a replica that repeats the statements of the binary log would store other WriteSets than the master");
        }
        if (Queries.number(master, "SELECT @@GLOBAL.innodb_rollback_on_timeout") != 0) {
            problems.add(
                    "innodb_rollback_on_timeout must be OFF: if one statement waits too long for a lock, the engine would also roll back the other members of its commit group");
        }
        if (!listsNewTables(master)) {
            problems.add(
                    "default_tmp_storage_engine must be InnoDB: MySQL does not list other temporary tables of a session, so that other clients could find them");
        }
        if (!isSnapshotIsolated(master)) {
            problems.add(
                    "innodb_snapshot_isolation must be ON (MariaDB has it from 10.6.18, 10.11.8 and 11.4.2): a transaction could write over a change that its snapshot does not show; set it in the server's option file, or by SET GLOBAL innodb_snapshot_isolation = ON");
        }
        if (master.getCatalog() == null || master.getCatalog().equalsIgnoreCase("multimed")) {
            problems.add("the URL must name a database other than multimed, which is reserved for Multimed");
        }
        for (String procedure : RoutineBodies.endingTransactions(new MySqlReader(), master)) {
            problems.add(
                    "procedure %s commits, or runs statements that Multimed cannot examine: its changes would have no position in the commit order; remove these statements from the procedure, and end the transaction in the application"
                            .formatted(procedure));
        }
        if (!problems.isEmpty()) {
            throw new SQLException("the master cannot be used: " + String.join("; ", problems), "0A000");
        }
    }
}
