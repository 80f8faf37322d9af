// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.listen.Limits;
import io.multimed.model.listen.UserLimits;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.transport.ClientTransport;
import io.multimed.server.node.Refusals;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ClientSessionTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    /** Other sessions may wait for its outcome. */
    @Test
    void shouldEndAlthoughItsResourcesCannotBeReleased() throws IOException {
        try (LocalClients localClients = new LocalClients();
                AuditLog audit = AuditLog.open(null)) {
            SessionRegistry sessions = sessions(localClients, audit);
            ClientSession session = sessions.connected(receiver -> transportThatFails());
            AtomicBoolean ended = new AtomicBoolean();
            session.end(() -> ended.set(true));
            assertThat(ended).isFalse();
            assertThatCode(() -> session.terminate("57P01", "stopped")).doesNotThrowAnyException();
            assertThat(ended).isTrue();
            sessions.close();
        }
    }

    private static SessionRegistry sessions(LocalClients localClients, AuditLog audit) throws IOException {
        return new SessionRegistry(
                null,
                new Users(new Users.Definition(List.of(), UserLimits.NONE, null, false), false, audit),
                new ServerIdentity("shop", null, false, List::of),
                new PortOptions(
                        null,
                        1,
                        1_000,
                        Limits.DEFAULT,
                        new IdleTimeouts(Duration.ZERO, Duration.ZERO),
                        RequestListener.NONE,
                        audit,
                        new Refusals(),
                        localClients,
                        null),
                new MemoryBudget(1_000_000));
    }

    private static ClientTransport transportThatFails() {
        Class<ClientTransport> type = ClientTransport.class;
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> switch (method.getName()) {
                    case "ends" -> new LocalConnection(HERE, HERE);
                    case "releaseAnswers" -> throw new IllegalStateException("no memory");
                    case "isEmbedded" -> false;
                    default -> null;
                }));
    }
}
