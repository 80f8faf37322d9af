// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.listen.UserLimits;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.wire.Protocol;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.communication.peer.LocalClients.Decision;
import io.multimed.server.communication.transport.ClientTransport;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LoginExchangeTest {
    private final List<String> answers = new ArrayList<>();

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** The decision arrives on a thread that handles no request, and therefore answers no failure. */
    @Test
    void shouldAnswerIfALoginWithoutAPasswordFails() throws IOException {
        LoginExchange login = new LoginExchange(
                proxy(
                        ClientTransport.class,
                        (proxy, method, values) -> method.getReturnType() == boolean.class ? false : null),
                session(),
                new Users(new Users.Definition(List.of(), UserLimits.NONE, null, false), false, AuditLog.open(null)),
                new ServerIdentity("shop", null, false, List::of),
                null,
                admissionThatFails());
        login.hello(new Hello(Protocol.VERSION, "shop", "u", "c", new byte[0], "UTC"));
        assertThat(answers).singleElement().asString().startsWith("XX000").contains("no memory");
    }

    private LoginExchange.Session session() {
        return proxy(LoginExchange.Session.class, (proxy, method, values) -> switch (method.getName()) {
            case "id" -> 1L;
            case "isOver" -> false;
            case "refuse" -> {
                answers.add(values[0] + " " + values[1]);
                yield null;
            }
            default -> throw new AssertionError(method);
        });
    }

    private static LoginExchange.Admission admissionThatFails() {
        return proxy(LoginExchange.Admission.class, (proxy, method, values) -> switch (method.getName()) {
            case "decideWithoutPassword" -> decide(values[1]);
            case "admit" -> null;
            case "open" -> throw new IllegalStateException("no memory");
            default -> throw new AssertionError(method);
        });
    }

    /** Decides as the thread that reads the list of sockets does, for which a failure has no consequence. */
    @SuppressWarnings("unchecked")
    private static Object decide(Object to) {
        try {
            ((Consumer<Decision>) to).accept(new Decision("me", null));
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("no memory");
        }
        return null;
    }
}
