package io.multimed.engine.mysql.roles;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.Engine.RoleState;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** The engine's grants determine when connections of roles open again. */
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class RolePrivilegesTest {
    private static RoleMaster master;

    RolePrivilegesTest(String engine) {
        assertThat(engine).isNotEmpty();
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws SQLException {
        master = new RoleMaster(engine);
    }

    @AfterParameterizedClassInvocation
    static void stop() throws SQLException {
        master.close();
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
