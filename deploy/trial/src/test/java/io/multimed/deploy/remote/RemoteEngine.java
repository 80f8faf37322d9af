// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.ExternalConnection;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import io.multimed.model.value.Secret;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * An engine for a satellite, with the network before it: in this process, or in a process of its own in another network
 * namespace.
 */
final class RemoteEngine implements AutoCloseable {
    private static final String READY = "ready";
    private static final String RESET = "reset";
    private static final String DISTURB = "disturb";

    /** The account of the middleware, with the rights that the documentation demands. */
    private static final String USER = "satellite_owner";

    private static final String PASSWORD = "password of a satellite";

    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final RunningEngine engine;
    private final ForwardingNetwork network;

    /** @param own address at which the engine can be reached through the network */
    RemoteEngine(String kind, InetAddress own) throws IOException, SQLException {
        engine = Launchers.start(
                NodeSpec.embedded(RemoteCluster.FAR, Role.SATELLITE, kind, CoreSet.ALL, Storage.MEMORY)
                        .withMemory(ByteSize.megabytes(128)),
                "shop",
                state);
        int port = URI.create(engine.jdbcUrl().substring("jdbc:".length())).getPort();
        network = ForwardingNetwork.before(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), own);
        createUser(kind);
    }

    private void createUser(String kind) throws SQLException {
        List<String> statements = kind.equals("postgresql")
                ? List.of("CREATE ROLE %s LOGIN SUPERUSER PASSWORD '%s'".formatted(USER, PASSWORD))
                : List.of(
                        "CREATE USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(USER, PASSWORD),
                        "GRANT ALL ON *.* TO '%s'@'%%' WITH GRANT OPTION".formatted(USER));
        try (Connection connection = TestModels.direct(engine);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    ForwardingNetwork network() {
        return network;
    }

    /** Returns the access past the network. */
    ExternalConnection direct() {
        return new ExternalConnection(engine.jdbcUrl(), engine.user(), new Secret(engine.password()));
    }

    /** Returns the access through the network. */
    ExternalConnection access() {
        String place = "//%s:%d/".formatted(network.address().getHostAddress(), network.port());
        return new ExternalConnection(engine.jdbcUrl().replaceFirst("//[^/]*/", place), USER, new Secret(PASSWORD));
    }

    @Override
    public void close() throws IOException {
        network.close();
        engine.close();
        state.discard();
    }

    /**
     * Starts the engine when a first line arrives, prints how to reach it, and obeys further lines, which name methods
     * of the network. Ends at the end of the input.
     *
     * @param arguments kind of the engine, and the address at which it can be reached
     */
    public static void main(String[] arguments) throws IOException, SQLException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        PrintStream out = new PrintStream(System.out, true, UTF_8);
        out.println(READY);
        in.readLine();
        try (RemoteEngine remote = new RemoteEngine(arguments[0], InetAddress.getByName(arguments[1]))) {
            ExternalConnection access = remote.access();
            out.println(access.url());
            out.println(access.user());
            out.println(access.password().reveal());
            for (String order = in.readLine(); order != null; order = in.readLine()) {
                if (order.equals(RESET)) {
                    remote.network.reset();
                } else {
                    remote.network.disturb();
                }
                out.println(order);
            }
        }
    }

    /** The process that {@link #main} runs in. */
    static final class Control implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;
        private final PrintStream in;

        /** @param command runs {@link #main} */
        Control(List<String> command) throws IOException {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
            in = new PrintStream(process.getOutputStream(), true, UTF_8);
            await(READY);
        }

        long pid() {
            return process.pid();
        }

        /** Starts the engine, whose network must be ready, and returns the access through the network. */
        ExternalConnection start() {
            in.println();
            return new ExternalConnection(line(), line(), new Secret(line()));
        }

        void reset() {
            in.println(RESET);
            await(RESET);
        }

        void disturb() {
            in.println(DISTURB);
            await(DISTURB);
        }

        private void await(String expected) {
            String found = line();
            if (!found.equals(expected)) {
                throw new EngineException("the process of the engine wrote " + found);
            }
        }

        private String line() {
            try {
                String line = out.readLine();
                if (line == null) {
                    throw new EngineException("the process of the engine has ended: see its errors");
                }
                return line;
            } catch (IOException e) {
                throw new EngineException("the process of the engine cannot be read: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
            process.onExit().join();
            out.close();
        }
    }
}
