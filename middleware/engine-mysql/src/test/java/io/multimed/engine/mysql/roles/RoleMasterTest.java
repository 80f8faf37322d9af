// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** A test on a master of each engine, with an account of a role. */
abstract class RoleMasterTest {
    /** That of the present engine; the classes of a virtual machine run one after the other. */
    static RoleMaster master;

    RoleMasterTest(String engine) {
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
}
