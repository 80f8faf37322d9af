// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.Engine;
import io.multimed.engine.Engines;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Listen;
import io.multimed.server.communication.Users;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The users of a System Model, and the roles of the engine as which their statements run. */
final class UserSettings {
    private UserSettings() {}

    static Users.Definition definition(Listen listen) {
        return new Users.Definition(
                listen.users(), listen.limits().perUser(), listen.usersFile(), listen.passThrough());
    }

    /**
     * Returns whether users without a role run as roles of their own: Multimed may create roles on its own engines
     * only.
     */
    static boolean hasOwnRoles(SystemModel model) {
        return model.master().program().source() != Source.EXTERNAL
                && Engines.of(model.master().engine()).supportsRoles()
                && !model.hasStandbys();
    }

    /** Returns the engine of a model's nodes, with the way of changes to the satellites that the model chooses. */
    static Engine engine(SystemModel model) throws SQLException {
        Engine engine = Engines.of(model.master().engine());
        return model.hasStandbys() ? engine.byLog(model.commits().receipts()) : engine;
    }

    /**
     * Checks whether the master's engine can run statements as the roles of the users.
     *
     * @throws SQLException 0A000 if it cannot
     */
    static void refuseRolesUnlessSupported(SystemModel model) throws SQLException {
        Set<String> users = roles(model.listen()).keySet();
        String engine = model.master().engine();
        if (!users.isEmpty() && !engine(model).supportsRoles()) {
            throw new SQLException(
                    "listen.users: the engine %s of the master does not support roles of users: remove the key role of %s, and use one Multimed for each group of applications with the same rights"
                            .formatted(engine, String.join(", ", users)),
                    "0A000");
        }
    }

    /**
     * Refuses to pass users through at a running port without a certificate: the port is opened with or without one.
     *
     * @throws SQLException 22023 if clients could not send their passwords
     */
    static void refusePassThroughWithoutTls(SystemModel next) throws SQLException {
        if (next.listen().passThrough() && next.listen().tls() == null) {
            throw new SQLException(
                    "listen.pass-through: the running port has no certificate (listen.tls): restart multimed up with the new model",
                    "22023");
        }
    }

    /**
     * Refuses a model without users for running ports that other machines reach. The reader of models has checked only
     * the addresses that the next start opens.
     *
     * @throws SQLException 22023 if clients would need no password
     */
    static void refuseOpenPorts(SystemModel next) throws SQLException {
        Listen listen = next.listen();
        if (listen.hasUsers()) {
            return;
        }
        refuseUnlessLocal("listen.host", listen.host());
        if (next.observation().dashboard().isPresent()) {
            refuseUnlessLocal(
                    "dashboard.host", next.observation().dashboard().get().host());
        }
    }

    private static void refuseUnlessLocal(String key, String host) throws SQLException {
        try {
            if (InetAddress.getByName(host).isLoopbackAddress()) {
                return;
            }
        } catch (UnknownHostException e) {
            throw new SQLException("%s: \"%s\" is not an address of this machine".formatted(key, host), "22023", e);
        }
        throw new SQLException(
                "%s: the running port at %s is reachable from other machines, and clients would need no password: keep listen.users or listen.users-file, or restart multimed up with the new model"
                        .formatted(key, host),
                "22023");
    }

    /** Returns the passwords of roles that the model contains. */
    static Map<String, String> passwordsOfRoles(Listen listen) {
        Map<String, String> passwords = new HashMap<>();
        for (Listen.User user : listen.users()) {
            Listen.Role role = user.role();
            if (role != null && role.password() != null) {
                passwords.put(role.name(), role.password().reveal());
            }
        }
        return passwords;
    }

    private static Map<String, String> roles(Listen listen) {
        Map<String, String> roles = new HashMap<>();
        for (Listen.User user : listen.users()) {
            if (user.role() != null) {
                roles.put(user.name(), user.role().name());
            }
        }
        return roles;
    }
}
