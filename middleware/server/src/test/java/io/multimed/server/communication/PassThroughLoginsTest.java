// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.listen.UserLimits;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.node.login.RoleLogin;
import io.multimed.server.node.login.RoleLogins;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The master's answer counts only while the client waits for it. */
class PassThroughLoginsTest {
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicInteger entered = new AtomicInteger();
    private final PassThroughLogins logins;

    private volatile boolean endsMeanwhile;

    PassThroughLoginsTest() throws IOException {
        Users users =
                new Users(new Users.Definition(List.of(), UserLimits.NONE, null, true), false, AuditLog.open(null));
        logins = new PassThroughLogins(new AcceptingMaster(), users);
    }

    private final class AcceptingMaster implements RoleLogins {
        @Override
        public void check(String role, String password) {
            isOver.set(endsMeanwhile);
        }

        @Override
        public long moment() {
            return 0;
        }

        @Override
        public RoleLogin enter(String role, String password, long checkedSince) {
            entered.incrementAndGet();
            return entered::decrementAndGet;
        }

        @Override
        public void closeUnused() {}
    }

    @AfterEach
    void close() {
        logins.close();
    }

    @Test
    void shouldEnterAClientWithTheRightPassword() {
        assertThat(logins.check("kim", "right", isOver::get)).isInstanceOf(PassThroughLogins.Accepted.class);
        assertThat(entered).hasValue(1);
    }

    /** Its password must not replace the one with which the role's connections are opened. */
    @Test
    void shouldNotEnterAClientWhoseConnectionHasEndedMeanwhile() {
        endsMeanwhile = true;
        assertThat(logins.check("kim", "right", isOver::get)).isInstanceOf(PassThroughLogins.Failed.class);
        assertThat(entered).hasValue(0);
    }
}
