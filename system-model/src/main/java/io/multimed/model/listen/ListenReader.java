// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import io.multimed.model.value.ByteSize;
import io.multimed.model.value.Durations;
import io.multimed.model.value.Secret;
import io.multimed.model.yaml.PasswordSource;
import io.multimed.model.yaml.YamlSection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the section {@code listen}: the address for clients, limits, and accounts. Adds each mistake to the problems of
 * the section and continues with the default.
 */
public final class ListenReader {
    private static final int MIN_QUEUE = 64 << 10;
    private static final int MIN_MEMORY = 16 << 20;

    private ListenReader() {}

    public static Listen read(YamlSection section) {
        String host = section.text("host", Listen.DEFAULT.host());
        int port = section.number("port", Listen.DEFAULT_PORT, 0, 65_535);
        int clients = section.number("max-clients", Listen.DEFAULT.maxClients(), 1, 1_000_000);
        ByteSize frame = section.value("max-frame", Listen.DEFAULT.maxFrame(), ByteSize::parse);
        if (frame.bytes() < 65_536 || frame.bytes() > 1 << 30) {
            section.problem("max-frame", frame + " is too small or too large", "64k to 1g");
        }
        Limits limits = section.section("limits")
                .map(each -> readLimits(each, clients))
                .orElseGet(() -> Limits.standard(clients));
        Listen.Idle idle = new Listen.Idle(
                section.value("idle-in-transaction", Duration.ZERO, Durations::parse),
                section.value("idle-pinned", Duration.ZERO, Durations::parse));
        Duration shutdownWait = section.value("shutdown-wait", Listen.DEFAULT.shutdownWait(), Durations::parse);
        List<Listen.User> users = new ArrayList<>();
        for (YamlSection user : section.sections("users")) {
            users.add(readUser(user));
        }
        Path usersFile = section.text("users-file").map(Path::of).orElse(null);
        boolean passThrough = section.truth("pass-through", false);
        boolean embedded = section.truth("embedded", false);
        Listen.Tls tls = readTls(section);
        Listen listen = new Listen(
                host, port, tls, clients, frame, limits, idle, shutdownWait, users, usersFile, passThrough, embedded);
        checkHost(section, host, !listen.hasUsers(), tls != null || isSwitchedOff(section));
        checkPassThrough(section, listen);
        checkUsers(section, users);
        section.finish();
        return listen;
    }

    private static Limits readLimits(YamlSection section, int maxClients) {
        Limits standard = Limits.standard(maxClients);
        int pending = section.number("pending-logins", standard.pendingLogins(), 1, UserLimits.MAX);
        Limits limits = new Limits(
                section.number("clients-per-address", standard.clientsPerAddress(), 0, UserLimits.MAX),
                pending,
                section.number("pending-logins-per-address", Limits.ofOneAddress(pending), 1, UserLimits.MAX),
                section.number("statements", standard.statements(), 0, UserLimits.MAX),
                new UserLimits(readLimit(section, "clients-per-user"), readLimit(section, "statements-per-user")),
                section.value("acquire-timeout", standard.acquireTimeout(), Durations::parse),
                section.value("queued-per-client", standard.queuedPerClient(), ByteSize::parse),
                section.value("memory", Optional.empty(), text -> Optional.of(ByteSize.parse(text))));
        long queued = limits.queuedPerClient().bytes();
        if (queued < MIN_QUEUE || queued > 1 << 30) {
            section.problem("queued-per-client", limits.queuedPerClient() + " is too small or too large", "64k to 1g");
        }
        if (limits.memory().isPresent() && limits.memory().get().bytes() < MIN_MEMORY) {
            section.problem("memory", limits.memory().get() + " is too small", "at least 16m");
        }
        section.finish();
        return limits;
    }

    /** Returns the limit of a user; empty if the key is absent or wrong. */
    private static OptionalInt readLimit(YamlSection section, String key) {
        int limit = section.number(key, -1, 0, UserLimits.MAX);
        return limit < 0 ? OptionalInt.empty() : OptionalInt.of(limit);
    }

    private static void checkHost(YamlSection section, String host, boolean isOpen, boolean saysTls) {
        try {
            if (InetAddress.getByName(host).isLoopbackAddress()) {
                return;
            }
            if (isOpen) {
                section.problem(
                        "host",
                        host + " is reachable from other machines, and clients need no password",
                        "define listen.users or listen.users-file, or listen on 127.0.0.1");
            }
            if (!saysTls) {
                section.problem(
                        "host",
                        host + " is reachable from other machines, and nothing encrypts the connections",
                        "define listen.tls, or write tls: off if the network itself is protected");
            }
        } catch (UnknownHostException e) {
            section.problem(
                    "host", "\"%s\" is not an address of this machine".formatted(host), "use for example 127.0.0.1");
        }
    }

    /** On loopback, too: clients send the password only to a middleware that proves its identity. */
    private static void checkPassThrough(YamlSection section, Listen listen) {
        if (listen.passThrough() && listen.tls() == null) {
            section.problem(
                    "pass-through",
                    "clients send the passwords of the master's roles, and nothing encrypts the connections",
                    "define listen.tls, or remove the key");
        }
    }

    private static void checkUsers(YamlSection section, List<Listen.User> users) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < users.size(); i++) {
            if (!names.add(users.get(i).name())) {
                section.problem(
                        "users",
                        "\"%s\" occurs twice".formatted(users.get(i).name()),
                        "define each user once, with one password");
            }
        }
    }

    private static boolean isSwitchedOff(YamlSection section) {
        return section.isPlain("tls");
    }

    private static Listen.@Nullable Tls readTls(YamlSection section) {
        if (isSwitchedOff(section)) {
            section.value("tls", "", ListenReader::checkOff);
            return null;
        }
        return section.section("tls").map(ListenReader::readFiles).orElse(null);
    }

    private static String checkOff(String text) {
        if (!text.equals("off")) {
            throw new IllegalArgumentException(
                    "\"%s\" is neither off nor a section with certificate and key".formatted(text));
        }
        return text;
    }

    private static Listen.Tls readFiles(YamlSection section) {
        Path certificate = section.value("certificate", Path.of(""), Path::of);
        if (certificate.toString().isEmpty()) {
            section.problem("certificate", "is missing", "name a PEM file or a PKCS #12 file (.p12)");
        }
        Listen.Tls tls = new Listen.Tls(
                certificate,
                section.text("key").map(Path::of).orElse(null),
                PasswordSource.read(section).orElse(Secret.NONE),
                section.text("client-authorities").map(Path::of).orElse(null),
                section.truth("required", true));
        section.finish();
        return tls;
    }

    private static Listen.User readUser(YamlSection section) {
        String name = section.text("name", "");
        if (name.isEmpty()) {
            section.problem("name", "is missing", "write the user's name");
        }
        Secret password = PasswordSource.read(section).orElseGet(() -> {
            section.problem("password", "is missing", "set password-file, password-env or password");
            return Secret.NONE;
        });
        if (password.reveal().isEmpty() && password != Secret.NONE) {
            section.problem("password", "is empty: every client could connect as " + name, "choose a password");
        }
        boolean administrator = section.truth("administrator", false);
        Listen.Role role = readRole(section);
        UserLimits limits = new UserLimits(readLimit(section, "max-clients"), readLimit(section, "max-statements"));
        section.finish();
        return new Listen.User(name, password, administrator, role, limits);
    }

    private static Listen.@Nullable Role readRole(YamlSection section) {
        String role = section.text("role", "");
        Secret password = PasswordSource.read(section, "role-").orElse(null);
        if (!role.isEmpty()) {
            return new Listen.Role(role, password);
        }
        if (password != null) {
            section.problem("role", "is missing, but its password is there", "write the name of the engine's role");
        }
        return null;
    }
}
