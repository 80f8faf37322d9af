// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.listen.Listen;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.value.Secret;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.communication.Users.LoginMethod;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Logins with passwords at other ports than the client port. */
class UsersTest {
    private static final char[] PASSWORD = "correct horse".toCharArray();
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private Users users;

    @BeforeEach
    void create() throws IOException {
        users = new Users(
                new Users.Definition(
                        List.of(new Listen.User("ann", new Secret(new String(PASSWORD)), false, null, UserLimits.NONE)),
                        UserLimits.NONE,
                        null,
                        false),
                false,
                AuditLog.open(null));
    }

    @Test
    void acceptsTheRightPasswordOnly() {
        Users.Login login = users.login(HERE, "ann", PASSWORD);
        assertThat(login).isNotNull();
        assertThat(users.isLoggedIn(login)).isTrue();
        assertThat(users.login(HERE, "ann", "wrong".toCharArray())).isNull();
        assertThat(users.login(HERE, "ann", new char[0])).isNull();
        assertThat(users.login(HERE, "ben", PASSWORD)).isNull();
    }

    /** The users may change between the proof of a password and the registration of the session. */
    @Test
    void usersWhoWereRemovedHaveNoRights() throws IOException {
        assertThat(users.rights("ann", LoginMethod.PASSWORD)).isEqualTo(new Users.Rights(false, null));
        assertThat(users.rights("ann", LoginMethod.MASTER)).isNull();
        assertThat(users.rights("ann", LoginMethod.ACCOUNT)).isNull();
        users.replace(new Users.Definition(List.of(), UserLimits.NONE, null, true));
        assertThat(users.rights("ann", LoginMethod.PASSWORD)).isNull();
        assertThat(users.rights("ann", LoginMethod.MASTER)).isEqualTo(new Users.Rights(false, "ann"));
        users.replace(new Users.Definition(List.of(), UserLimits.NONE, null, false));
        assertThat(users.rights("ann", LoginMethod.PASSWORD)).isNull();
        assertThat(users.rights("ann", LoginMethod.MASTER)).isNull();
        assertThat(users.rights("ann", LoginMethod.ACCOUNT)).isEqualTo(new Users.Rights(true, null));
        assertThat(users.isAdministrator("ann")).isFalse();
        assertThat(users.isAdministrator("")).as("a browser without a login").isTrue();
    }

    /** Otherwise a client could guess faster at the other port. */
    @Test
    void failuresCountForAllPorts() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(users.refusal(HERE, "ann")).isNull();
            users.login(HERE, "ann", "wrong".toCharArray());
        }
        assertThat(users.refusal(HERE, "ann")).isNotNull();
        assertThat(users.failedLogins().ask(HERE, "ann", System.nanoTime()).mayBeChecked())
                .as("at the client port")
                .isFalse();
        assertThat(users.refusal(InetAddress.getByName("192.0.2.7"), "ann")).isNull();
    }
}
