// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Tests of {@link DdlTest} for statements whose connection breaks before the satellites receive the change. */
interface DdlRecordedLater {
    Duration PATIENCE = Duration.ofMinutes(1);

    DdlSystem system();

    /** Breaks the connection of a concurrent statement that waits for a transaction, and of a completed statement. */
    @Test
    default void shouldSendDdlOfABrokenConnectionLater() throws Exception {
        system().require("DDL that is told afterwards");
        system().run("CREATE TABLE later (id INT PRIMARY KEY, v INT)", "INSERT INTO later VALUES (1, 1)");
        String statement = system().word("DDL that is told afterwards");
        try (Connection user = system().cluster().connect()) {
            user.setAutoCommit(false);
            Sql.run(user, "INSERT INTO later VALUES (2, 2)");
            breakOff(statement, () -> null);
            user.commit();
        }
        system().run("DROP INDEX IF EXISTS later_v");
        awaitSame();
        try (Connection direct = system().cluster().direct("master")) {
            direct.setAutoCommit(false);
            Sql.run(direct, system().word("keep DDL from being told"));
            breakOff(statement, () -> null);
            direct.rollback();
        }
        awaitSame();
        assertThat(system().catalog(DdlSystem.SATELLITE)).anyMatch(line -> line.contains("later_v"));
    }

    /**
     * The change of the second client is not yet committed when the change of the first client is sent, and must
     * remain.
     */
    @Test
    default void shouldSendDdlLaterWithoutUndoingDdlOfAnotherClient() throws Exception {
        system().require("DDL that is told afterwards");
        system().run("CREATE TABLE later (id INT PRIMARY KEY, v INT)", "CREATE INDEX later_v ON later (v)");
        try (Connection direct = system().cluster().direct("master");
                Connection other = system().cluster().connect()) {
            other.setAutoCommit(false);
            direct.setAutoCommit(false);
            Sql.run(direct, system().word("break DDL off"));
            breakOff(system().word("DDL that is broken off"), () -> {
                direct.rollback();
                Sql.run(other, "ALTER TABLE later RENAME COLUMN v TO w");
                return null;
            });
            awaitRecorded();
            other.commit();
        }
        system().run("INSERT INTO later (id, w) VALUES (3, 3)", "DROP INDEX IF EXISTS later_v");
        awaitSame();
    }

    /**
     * Ends the session of a statement that waits for a lock.
     *
     * @param then runs immediately afterwards, before the change is sent again
     */
    private void breakOff(String statement, Callable<Void> then) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection client = system().cluster().connect();
                Connection direct = system().cluster().direct("master")) {
            Future<SQLException> failure =
                    thread.submit(() -> catchThrowableOfType(SQLException.class, () -> Sql.run(client, statement)));
            awaitRecorded();
            Sql.text(direct, system().word("end the session that tells DDL"));
            then.call();
            assertThat(failure.get().getSQLState()).startsWith("08");
        } finally {
            thread.shutdownNow();
        }
    }

    private void awaitRecorded() throws SQLException {
        try (Connection direct = system().cluster().direct("master")) {
            await("a session records the DDL on the master; see its session list")
                    .atMost(PATIENCE)
                    .until(() -> Sql.text(direct, system().word("session that tells DDL")) != null);
        }
    }

    private void awaitSame() {
        await("the satellite equals the master; see its state and trouble in the status")
                .atMost(PATIENCE)
                .untilAsserted(() -> system().assertSame());
    }
}
