// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.server.communication.peer.LocalClients.Decision;
import io.multimed.server.testing.OtherAccount;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Finds the accounts of real clients in the lists of the kernel, and refuses those that are not trusted. */
@Timeout(60)
class LocalClientsTest {
    private static final Path KERNEL = Path.of("/proc/self/net");
    private static final Path PASSWD = Path.of("/etc/passwd");

    /** An account that runs nothing here. */
    private static final long STRANGER = 4_242_424;

    private static final InetAddress IPV4 = address(127, 0, 0, 1);

    @TempDir
    private Path folder;

    private final LocalClients clients = new LocalClients();

    @AfterEach
    void stop() {
        clients.close();
    }

    private static LocalConnection connection(Socket accepted) {
        return new LocalConnection((InetSocketAddress) accepted.getRemoteSocketAddress(), (InetSocketAddress)
                accepted.getLocalSocketAddress());
    }

    private static ServerSocket listen(InetAddress address) throws IOException {
        return new ServerSocket(0, 10, address);
    }

    private static ServerSocket listen() throws IOException {
        return listen(IPV4);
    }

    private static InetAddress address(int... bytes) {
        byte[] all = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            all[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(all);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static List<InetAddress> loopback() throws IOException {
        InetAddress ipv6 = address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        List<InetAddress> all = new ArrayList<>(List.of(IPV4, address(127, 0, 0, 77)));
        if (NetworkInterface.getByInetAddress(ipv6) != null) {
            all.add(ipv6);
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("loopback")
    void shouldAdmitTheAccountThatRunsTheMiddleware(InetAddress address) throws Exception {
        try (ServerSocket server = listen(address);
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            assertThat(client.isConnected()).isTrue();
            Decision decision = clients.await(connection(accepted));
            assertThat(decision.refusal()).isNull();
            assertThat(decision.account()).isEqualTo("\"" + System.getProperty("user.name") + "\"");
        }
    }

    /** Programs in other languages use sockets of IPv4, which the kernel lists elsewhere. */
    @Test
    void shouldFindAClientWithASocketOfIpv4() throws Exception {
        try (ServerSocket server = listen()) {
            Process client = new ProcessBuilder(
                            "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/%d; cat <&3".formatted(server.getLocalPort()))
                    .start();
            try (Socket accepted = server.accept()) {
                assertThat(clients.await(connection(accepted)).refusal()).isNull();
            } finally {
                client.destroy();
            }
        }
    }

    @Test
    void shouldRefuseAnotherAccount() throws Exception {
        OtherAccount.skipUnlessAvailable();
        try (ServerSocket server = listen()) {
            Process client =
                    OtherAccount.start("exec 3<>/dev/tcp/127.0.0.1/%d; cat <&3".formatted(server.getLocalPort()));
            try (Socket accepted = server.accept()) {
                Decision decision = clients.await(connection(accepted));
                assertThat(decision.account()).isEqualTo("\"nobody\"");
                assertThat(decision.refusal()).contains("the client runs under the account \"nobody\"");
            } finally {
                client.destroy();
            }
        }
    }

    /** The middleware runs under another account than this client, as far as it knows. */
    @Test
    void shouldSayWhichAccountIsRefusedAndWhatToDo() throws Exception {
        String name = System.getProperty("user.name");
        assumeTrue(!name.equals("root"), "root may always connect");
        LocalClients others = new LocalClients(new SocketTable(KERNEL), new Accounts(STRANGER, false, PASSWD));
        try (ServerSocket server = listen();
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            assertThat(client.isConnected()).isTrue();
            assertThat(others.await(connection(accepted)))
                    .isEqualTo(new Decision(
                            "\"%s\"".formatted(name),
                            "the client runs under the account \"%s\", but without users in the System Model only the account 4242424, which runs the middleware, and root may connect: define users (listen.users, or multimed user add with listen.users-file), or run the client under an account that may connect"
                                    .formatted(name)));
        } finally {
            others.close();
        }
    }

    @Test
    void shouldRefuseAClientThatHasClosedItsConnection() throws Exception {
        try (ServerSocket server = listen();
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            LocalConnection connection = connection(accepted);
            assertThat(clients.await(connection).refusal()).isNull();
            client.close();
            assertThat(clients.await(connection).refusal()).contains("cannot be determined", "define users");
        }
    }

    @Test
    void shouldRefuseAClientOfAnotherMachine() throws Exception {
        LocalConnection elsewhere = new LocalConnection(
                new InetSocketAddress(address(192, 0, 2, 7), 5_000), new InetSocketAddress(IPV4, 7_411));
        Decision decision = clients.await(elsewhere);
        assertThat(decision.account()).isEmpty();
        assertThat(decision.refusal()).contains("does not list the connection as one of this machine");
    }

    @Test
    void shouldDecideAboutManyClientsAtOnce() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (ServerSocket server = listen()) {
            List<CompletableFuture<Decision>> decisions = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                sockets.add(new Socket(server.getInetAddress(), server.getLocalPort()));
                Socket accepted = server.accept();
                sockets.add(accepted);
                CompletableFuture<Decision> decision = new CompletableFuture<>();
                clients.decide(connection(accepted), decision::complete);
                decisions.add(decision);
            }
            for (CompletableFuture<Decision> decision : decisions) {
                assertThat(decision.join().refusal()).isNull();
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static final String HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    /** A row as the kernel writes it, of a connection from port 50000 to port 7411 of 127.0.0.1. */
    private static String row(int number, String state, long account, long inode) {
        return "%4d: 0100007F:C350 0100007F:1CF3 %s 00000000:00000000 00:00000000 00000000 %5d        0 %d 1 0000000097d517e9 100 0 0 10 0%n"
                .formatted(number, state, account, inode);
    }

    private static LocalConnection listed() {
        return new LocalConnection(new InetSocketAddress(IPV4, 50_000), new InetSocketAddress(IPV4, 7_411));
    }

    private LocalClients withList(String rows) throws IOException {
        Files.writeString(folder.resolve("tcp"), HEAD + rows);
        return new LocalClients(new SocketTable(folder), new Accounts(STRANGER, false, PASSWD));
    }

    /** In these states the kernel shows 0, the number of root, for the socket of any account. */
    @ParameterizedTest
    @ValueSource(strings = {"06", "05", "02", "03"})
    void shouldNotTakeAClosedSocketForOneOfRoot(String state) throws Exception {
        try (LocalClients others = withList(row(0, state, 0, 0))) {
            assertThat(others.await(listed()).refusal()).contains("cannot be determined");
        }
        try (LocalClients others = withList(row(0, "01", 0, 0))) {
            assertThat(others.await(listed()).refusal()).contains("cannot be determined");
        }
        try (LocalClients others = withList(row(0, "01", 0, 12_345))) {
            assertThat(others.await(listed()).refusal()).isNull();
        }
    }

    @Test
    void shouldReadALongListButNotOneWithoutEnd() throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            rows.append(row(i, "01", 1, 77).replace(":C350", ":%04X".formatted(10_000 + i % 30_000)));
        }
        try (LocalClients others = withList(rows + row(100_000, "01", STRANGER, 12_345))) {
            assertThat(others.await(listed()).refusal()).isNull();
        }
        SocketTable shorter = new SocketTable(folder, 99_999);
        try (LocalClients others = new LocalClients(shorter, new Accounts(STRANGER, false, PASSWD))) {
            assertThat(others.await(listed()).refusal()).contains("the list of sockets cannot be read");
        }
    }

    @Test
    void shouldRefuseAllClientsWithoutTheListsOfTheKernel() throws Exception {
        try (LocalClients others = new LocalClients(new SocketTable(folder), new Accounts(STRANGER, false, PASSWD))) {
            assertThat(others.await(listed()).refusal()).contains("the list of sockets cannot be read", "define users");
        }
        try (ServerSocket server = listen();
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept();
                LocalClients others = new LocalClients(new SocketTable(KERNEL), null)) {
            assertThat(client.isConnected()).isTrue();
            assertThat(others.await(connection(accepted)).refusal())
                    .contains("the account of the middleware is unknown");
        }
    }

    /** In a user namespace, all accounts that the namespace does not know have the same number. */
    @Test
    void shouldNotTrustANumberThatStandsForManyAccounts() throws Exception {
        assertThat(Accounts.knowsAll("         0          0 4294967295\n")).isTrue();
        assertThat(Accounts.knowsAll("      1000       1000          1\n")).isFalse();
        assertThat(Accounts.knowsAll("0 100000 65536\n65536 1 1\n")).isFalse();
        assertThat(Accounts.knowsAll("")).isFalse();
        assertThat(new Accounts(65_534, true, PASSWD).isTrusted(65_534)).isFalse();
        assertThat(new Accounts(65_534, false, PASSWD).isTrusted(65_534)).isTrue();
        assertThat(Accounts.ofThisProcess().isTrusted(STRANGER)).isFalse();
    }
}
