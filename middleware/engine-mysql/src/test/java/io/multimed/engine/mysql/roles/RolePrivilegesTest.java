// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.Engine.RoleState;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SqlReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/** The engine's grants determine which schema changes of a role are announced, and when connections open again. */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class RolePrivilegesTest extends RoleMasterTest {
    private static final SqlReader READER = new MySqlReader();

    RolePrivilegesTest(String engine) {
        super(engine);
    }

    private static void require(String sql) throws SQLException {
        SchemaChange change = READER.classify(READER.read(sql), () -> {
                    throw new AssertionError("no query");
                })
                .schemaChange();
        SchemaPrivileges.require(master.role(), Objects.requireNonNull(change, sql));
    }

    /** The account may create tables, and may not drop them. */
    @Test
    void shouldDetermineThePrivilegeByTheBeginningOfTheStatement() {
        for (String sql : List.of(
                "CREATE TABLE log (replaced_at INT)",
                "CREATE TABLE log (a VARCHAR(9) COMMENT 'REPLACE')",
                "/* OR REPLACE */ CREATE TABLE log (a INT)")) {
            assertThatCode(() -> require(sql)).as(sql).doesNotThrowAnyException();
        }
        for (String sql : List.of(
                "CREATE OR REPLACE TABLE item (a INT)",
                "/* c */ CREATE /* c */ OR REPLACE VIEW v AS SELECT 1",
                "DROP TABLE item")) {
            assertThatThrownBy(() -> require(sql))
                    .as(sql)
                    .hasMessageContaining("none of the privileges DROP")
                    .extracting("errorCode")
                    .isEqualTo(1142);
        }
        assertThatThrownBy(() -> require("/* c */ OPTIMIZE TABLE item")).hasMessageContaining("INSERT");
    }

    /** Otherwise each DDL would open the connections of all roles again. */
    @Test
    void shouldTellThatSessionsDifferAfterChangesOfPrivilegesOnly() throws SQLException {
        try (Connection own = master.connect()) {
            RoleState first = RolePrivileges.state(own);
            master.run("UPDATE multimed.base SET forms = forms + 1");
            RoleState afterDdl = RolePrivileges.state(own);
            assertThat(afterDdl.rights()).isNotEqualTo(first.rights());
            assertThat(afterDdl.sessions()).isEqualTo(first.sessions());
            master.run("GRANT INSERT ON shop.item TO " + RoleMaster.ACCOUNT);
            RoleState afterGrant = RolePrivileges.state(own);
            assertThat(afterGrant.rights()).isNotEqualTo(afterDdl.rights());
            assertThat(afterGrant.sessions()).isNotEqualTo(first.sessions());
        }
    }
}
