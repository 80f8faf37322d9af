// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/** Sessions of roles, and of accounts past Multimed, neither keep a middleware out nor let two in. */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class RoleFencingTest extends RoleMasterTest {
    private static final String SESSIONS = "SELECT COUNT(*) FROM multimed.role_session";

    /** No session has this number. */
    private static final long ENDED = 4_000_000_001L;

    RoleFencingTest(String engine) {
        super(engine);
    }

    @BeforeEach
    void keepOut() throws SQLException {
        master.keepOut();
    }

    private static MasterStore store() {
        return master.store();
    }

    private static void register(long session) throws SQLException {
        master.run("INSERT INTO multimed.role_session VALUES (%d, REPEAT('0', 32), 0)".formatted(session));
    }

    private static long number(Connection connection) throws SQLException {
        return Long.parseLong(text(connection, "SELECT CONNECTION_ID()"));
    }

    /** The other table has no entry for it. */
    @Test
    void shouldForgetEndedSessionsOfRoles() throws SQLException {
        register(ENDED);
        store().capture().recapture(master.fencing(), ReplicatedTables.ALL);
        assertThat(text(master.fencing(), SESSIONS)).isEqualTo("0");
    }

    /** After a restart of the engine, numbers stand for other sessions. */
    @Test
    void shouldForgetAllSessionsOfRolesAtAStart() throws SQLException {
        master.fencing().close();
        try (Connection next = master.connect()) {
            register(number(next));
            store().fencing().endForeignSessions(next);
            assertThat(text(next, SESSIONS)).isEqualTo("0");
        }
    }

    /** An entry with the number of its session is older than the engine's last start. */
    @Test
    @Tag("exhaustive")
    void shouldNotEndAMiddlewareWhoseNumberARoleHadBefore() throws SQLException {
        register(number(master.fencing()));
        try (Connection rival = master.connect()) {
            assertThatThrownBy(() -> store().fencing().keepOut(rival))
                    .extracting("SQLState")
                    .isEqualTo("55006");
        }
        assertThat(master.fencing().isValid(5)).isTrue();
    }

    @Test
    void shouldEndTheSessionOfAnAccountThatHoldsTheLock() throws SQLException {
        master.fencing().close();
        try (Connection intruder = Connections.own(master.role());
                Connection next = master.connect()) {
            run(intruder, "DO GET_LOCK('multimed', 10)");
            store().fencing().endForeignSessions(next);
            assertThat(intruder.isValid(5)).isFalse();
            assertThat(next.isValid(5)).isTrue();
        }
    }

    /** Another middleware may run as this account. */
    @Test
    @Tag("exhaustive")
    void shouldNotEndTheSessionOfAnAccountThatMayWriteTheTables() throws SQLException {
        master.fencing().close();
        master.run("GRANT ALL ON `multi%`.* TO " + RoleMaster.ACCOUNT);
        try (Connection other = Connections.own(master.role());
                Connection next = master.connect()) {
            run(other, "DO GET_LOCK('multimed', 10)");
            assertThatThrownBy(() -> store().fencing().keepOut(next))
                    .extracting("SQLState")
                    .isEqualTo("55006");
            assertThat(other.isValid(5)).isTrue();
        } finally {
            master.run("REVOKE ALL ON `multi%`.* FROM " + RoleMaster.ACCOUNT);
        }
    }
}
