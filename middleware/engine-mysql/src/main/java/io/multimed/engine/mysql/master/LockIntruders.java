// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.pool.NodeAccess;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sessions past Multimed that hold the middleware's named lock, which every account may take. A session of an
 * account that could run a middleware is left alone: it may hold the lock for one.
 */
final class LockIntruders {
    private static final Logger LOG = LoggerFactory.getLogger(LockIntruders.class);

    private static final String HOLDING = "ID = IS_USED_LOCK('multimed')";

    /** Sessions that hold the lock, or that may receive it next. */
    private static final String LOCKING = "(" + HOLDING + " OR STATE = 'User lock')";

    private static final String USERS = "SELECT DISTINCT USER FROM information_schema.PROCESSLIST WHERE ";

    /**
     * The number of grants of the accounts with a user name by which they could write Multimed's tables: on the server,
     * on the database, by roles or as another account.
     */
    private static final String GRANTS = """
            SELECT (SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES
                    WHERE LEFT(GRANTEE, CHAR_LENGTH(?)) = ? AND PRIVILEGE_TYPE <> 'USAGE')
                + (SELECT COUNT(*) FROM mysql.db WHERE User = ? AND 'multimed' LIKE Db)
                + (SELECT COUNT(*) FROM mysql.proxies_priv WHERE User = ?)
                + (SELECT COUNT(*) FROM %s = ?)""";

    private LockIntruders() {}

    /** Ends the sessions. Has no effect if the grants of the accounts cannot be read. */
    static void end(Connection master) throws SQLException {
        try {
            if (intruders(master, HOLDING).isEmpty()) {
                return;
            }
            for (String user : intruders(master, LOCKING)) {
                LOG.warn("sessions of the user \"{}\" that hold the middleware's named lock are ended", user);
                ForeignSessions.end(master, LOCKING + " AND USER = " + literal(user));
            }
        } catch (SQLException e) {
            if (!NodeAccess.isLackOfPrivilege(e)) {
                throw e;
            }
            LOG.debug("the grants of the account that holds the middleware's named lock cannot be read", e);
        } finally {
            Queries.end(master);
        }
    }

    /** Returns the users of these sessions whose accounts have no grant that a middleware needs. */
    private static List<String> intruders(Connection master, String which) throws SQLException {
        String roles =
                MySqlServer.isMariaDb(master) ? "mysql.roles_mapping WHERE User" : "mysql.role_edges WHERE TO_USER";
        List<String> intruders = new ArrayList<>();
        for (String user : Queries.texts(master, USERS + which)) {
            String grantee = "'" + user + "'@";
            if (Queries.number(master, GRANTS.formatted(roles), grantee, grantee, user, user, user) == 0) {
                intruders.add(user);
            }
        }
        return intruders;
    }

    /** The bytes are written in hexadecimal digits, so that the name cannot end the literal. */
    private static String literal(String user) {
        return "CONVERT(X'%s' USING utf8mb4)".formatted(HexFormat.of().formatHex(user.getBytes(UTF_8)));
    }
}
