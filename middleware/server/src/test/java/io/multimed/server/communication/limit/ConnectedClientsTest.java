// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.server.node.Refusals;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Tests the numbers of clients of users and addresses. */
class ConnectedClientsTest {
    private final ConnectedClients clients = new ConnectedClients(5, 3, new Refusals());
    private final InetAddress here = address(1);
    private final InetAddress there = address(2);

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void refusesAClientAboveALimitAndNamesTheLimit() {
        assertThat(clients.enter(1, "ann", here, 2)).isNull();
        assertThat(clients.enter(2, "ann", here, 2)).isNull();
        assertThat(clients.enter(3, "ann", there, 2))
                .contains("user \"ann\"", "2, the maximum", "listen.limits.clients-per-user");
        assertThat(clients.enter(4, "bob", here, 0)).isNull();
        assertThat(clients.enter(5, "bob", here, 0)).contains("10.0.0.1", "listen.limits.clients-per-address");
        assertThat(clients.enter(6, "bob", there, 0)).isNull();
        assertThat(clients.enter(7, "bob", there, 0)).isNull();
        assertThat(clients.enter(8, "carol", there, 0)).contains("listen.max-clients");
    }

    @Test
    void clientsRemainWhenALimitBecomesSmaller() {
        assertThat(clients.enter(1, "ann", here, 0)).isNull();
        assertThat(clients.enter(2, "ann", here, 0)).isNull();
        clients.setMost(5, 1);
        assertThat(clients.enter(3, "ann", here, 0)).contains("2, the maximum (listen.limits.clients-per-address)");
        clients.leave(1);
        assertThat(clients.enter(3, "ann", here, 0)).contains("clients-per-address");
        clients.leave(2);
        assertThat(clients.enter(3, "ann", here, 0)).isNull();
        clients.setMost(5, 0);
        assertThat(clients.enter(4, "ann", here, 0)).isNull();
    }

    @Test
    void countsAClientUntilItLeavesAndForgetsUsersWithoutClients() {
        for (int round = 0; round < 3; round++) {
            assertThat(clients.enter(1, "ann", here, 1)).isNull();
            assertThat(clients.enter(2, "ann", here, 1)).isNotNull();
            clients.leave(2); // was not counted
            assertThat(clients.enter(2, "ann", here, 1)).isNotNull();
            clients.leave(1);
            clients.leave(1); // again
        }
        assertThat(clients.size()).isZero();
    }
}
