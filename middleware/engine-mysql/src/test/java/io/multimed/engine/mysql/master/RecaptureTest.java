// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.mysql.roles.RoleMaster;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** DDL that bypasses Multimed is noticed while clients run DDL through Multimed, and their DDL is not taken for it. */
@Tag("slow")
@Timeout(300)
class RecaptureTest {
    private static final String WAITING =
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table metadata lock'";

    private static final String IDENTITIES = "SELECT GROUP_CONCAT(name, identity ORDER BY name) FROM multimed.identity";

    private static boolean recapture(RoleMaster master) {
        try {
            return master.store().capture().recapture(master.fencing(), ReplicatedTables.ALL);
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldRecordNothingWhileDdlIsInProgress(String engine) throws Exception {
        try (RoleMaster master = new RoleMaster(engine);
                Connection holder = master.connect();
                Connection watch = master.connect()) {
            watch.setAutoCommit(true);
            master.store().capture().install(master.fencing(), ReplicatedTables.ALL, false);
            assertThat(recapture(master)).isFalse();
            String before = text(watch, IDENTITIES);
            master.run("DROP TABLE item", "CREATE TABLE item (id INT PRIMARY KEY)");
            run(holder, "LOCK TABLES item READ");
            CompletableFuture<Boolean> done = CompletableFuture.supplyAsync(() -> recapture(master));
            await("capture waits for the table").until(() -> !"0".equals(text(watch, WAITING)));
            run(watch, "INSERT INTO multimed.intent VALUES (1)"); // DDL begins
            run(holder, "UNLOCK TABLES");
            assertThat(done.join()).isFalse();
            assertThat(text(watch, IDENTITIES)).isEqualTo(before);
            run(watch, "DELETE FROM multimed.intent");
            assertThat(recapture(master)).isTrue();
            assertThat(recapture(master)).isFalse();
        }
    }
}
