// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.protocol.request.ClearPassword;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.server.audit.ClientAudit;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.transport.ClientTransport;
import io.multimed.server.dispatcher.ClientConnectionHandler;
import io.multimed.server.node.login.RoleLogin;
import java.net.InetAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The login of one client: {@link #hello}, then {@link #proof} or {@link #clearPassword} if users have been defined,
 * then the welcome. A client sends exactly one hello. Used by the thread that handles the session's request; a check of
 * the master runs on a thread for logins.
 */
final class LoginExchange {
    private static final Logger LOG = LoggerFactory.getLogger(LoginExchange.class);
    private static final int MAX_NAME = 256;

    private final ClientTransport transport;
    private final Session session;
    private final Users users;
    private final ServerIdentity identity;
    private final PassThroughLogins passThrough;
    private final Admission admission;

    /** Written once. */
    private volatile @Nullable Hello hello;

    /** The challenge that the client has to answer; null if it has none. */
    private @Nullable ScramExchange challenge;

    /** The login as a role of the master; null for users of the middleware. Written once, before the welcome. */
    private volatile @Nullable RoleLogin roleLogin;

    /** The session to which the login belongs. */
    interface Session {
        long id();

        long cancelKey();

        /** Returns the address whose limits apply to the client. */
        InetAddress origin();

        /** Returns whether the session has ended meanwhile. */
        boolean isOver();

        /** Ends the handling of the request without an answer. */
        void drop();

        /** Answers the request. */
        void reply(Response response);

        /** Answers with an error, and closes the connection. */
        void refuse(String sqlState, @Nullable String reason);

        /** Receives what handles the further requests, before the welcome is sent. */
        void opened(ClientConnectionHandler handler);
    }

    /** Admits sessions within the limits of clients. */
    interface Admission {
        /**
         * Decides whether a client may connect without a password.
         *
         * @param to receives the decision, on a thread that it must not block
         */
        void decideWithoutPassword(LocalConnection connection, Consumer<LocalClients.Decision> to);

        /**
         * Counts the session after its login.
         *
         * @return null if it is admitted, and {@link #open} must follow; otherwise which limit of clients is reached
         */
        @Nullable
        String admit(String user);

        /** Registers a session that was admitted. Returns null if the user may not connect any more. */
        @Nullable
        ClientConnectionHandler open(Hello client, Users.LoginMethod method);

        /** Returns the audit log for the client, which may not have logged in yet. */
        ClientAudit audit(String user);

        long publishedScn();
    }

    LoginExchange(
            ClientTransport transport,
            Session session,
            Users users,
            ServerIdentity identity,
            PassThroughLogins passThrough,
            Admission admission) {
        this.transport = transport;
        this.session = session;
        this.users = users;
        this.identity = identity;
        this.passThrough = passThrough;
        this.admission = admission;
    }

    /** Returns the user whom the client has named; empty if it has not named any. Callable from any thread. */
    String claimedUser() {
        Hello known = hello;
        return known == null ? "" : known.user();
    }

    /** Returns whether the user is a role of the master, which has checked the password. Callable from any thread. */
    boolean isPassedThrough() {
        return roleLogin != null;
    }

    /** Releases the login as a role, after the session has ended. */
    void close() {
        RoleLogin login = roleLogin;
        if (login != null) {
            login.close();
        }
    }

    void hello(Hello request) {
        if (hello != null) {
            throw new ProtocolException("the client sent a second hello");
        } else if (!isName(request.user())) {
            session.refuse(
                    "28000",
                    "the name of the user contains control characters, or is longer than %d characters: use another name"
                            .formatted(MAX_NAME));
        } else if (request.version() != Protocol.VERSION) {
            audit(request, "refused", "another version of the protocol");
            session.refuse(
                    "08004",
                    "this middleware speaks protocol version %d, the driver version %d: use the driver of the same release"
                            .formatted(Protocol.VERSION, request.version()));
        } else if (!request.database().equals(identity.database())) {
            audit(request, "refused", "another database");
            session.refuse(
                    "3D000",
                    "database \"%s\" is not served here; this middleware serves \"%s\": name it in the URL"
                            .formatted(request.database(), identity.database()));
        } else if (transport.caller() != null) {
            hello = request;
            welcome(request, Users.LoginMethod.EMBEDDED, new byte[0], "within this process");
        } else if (users.areAsked()) {
            hello = request;
            ScramExchange begun = ScramExchange.begin(users, request, transport.channelBinding());
            challenge = begun;
            session.reply(begun.challenge());
        } else {
            hello = request;
            admission.decideWithoutPassword(transport.ends(), decision -> guarded(() -> decided(request, decision)));
        }
    }

    /** Returns whether a text may be a user's name: it becomes a part of lines in the log. */
    private static boolean isName(String text) {
        return text.length() <= MAX_NAME && text.chars().noneMatch(Character::isISOControl);
    }

    /**
     * Admits or refuses a client without a password. A later connection of another account may have the same addresses
     * as this one if this one was reset meanwhile: requests that were sent ahead run only if it was not.
     */
    private void decided(Hello client, LocalClients.Decision decision) {
        String refusal = users.areAsked() ? "users have been defined: connect again" : decision.refusal();
        if (refusal == null) {
            transport.awaitWrites();
            welcome(
                    client,
                    Users.LoginMethod.ACCOUNT,
                    new byte[0],
                    "no password is required; account " + decision.account());
        } else {
            audit(client, "refused", "without a password; account " + decision.account());
            LOG.warn("{}: {}", transport.remoteAddress(), refusal);
            session.refuse("28000", refusal);
        }
    }

    void proof(Proof request) {
        ScramExchange exchange = challenge;
        challenge = null;
        Hello client = hello;
        if (exchange == null || client == null) {
            throw new ProtocolException("a proof without a challenge");
        }
        if (mayBeChecked(client)) {
            verify(client, exchange, request);
        }
    }

    /** Refuses a login without a check after too many failed ones from the same place. */
    private boolean mayBeChecked(Hello client) {
        FailedLogins.Verdict verdict = users.failedLogins().ask(session.origin(), client.user(), System.nanoTime());
        if (!verdict.mayBeChecked()) {
            if (verdict.first()) {
                audit(client, "refused", "too many failed logins");
                LOG.warn("{}: user \"{}\": {}", transport.remoteAddress(), client.user(), verdict.reason());
            }
            session.refuse("53300", verdict.reason());
        }
        return verdict.mayBeChecked();
    }

    private void verify(Hello client, ScramExchange exchange, Proof proof) {
        if (exchange.verify(proof)) {
            users.failedLogins().succeeded(session.origin(), client.user(), System.nanoTime());
            welcome(client, Users.LoginMethod.PASSWORD, exchange.serverSignature(), "");
        } else {
            refuse(client);
        }
    }

    private void refuse(Hello client) {
        users.failedLogins().failed(session.origin(), client.user(), System.nanoTime());
        audit(client, "refused", "wrong user or password");
        LOG.warn("{}: password authentication failed for user \"{}\"", transport.remoteAddress(), client.user());
        session.refuse("28P01", "password authentication failed for user \"%s\"".formatted(client.user()));
    }

    void clearPassword(ClearPassword request) {
        boolean isExpected = challenge != null;
        challenge = null;
        Hello client = hello;
        if (!isExpected || client == null) {
            throw new ProtocolException("a password without a challenge");
        }
        if (transport.tls().isEmpty()) {
            refusePassThrough(
                    client, "a password was sent without encryption: set sslMode=verify-full, and change the password");
        } else if (!users.passThrough()) {
            refusePassThrough(
                    client,
                    "this middleware does not pass users through to the master (listen.pass-through): remove requireAuth=password from the URL");
        } else if (!passThrough.execute(() -> guarded(() -> checkPassword(client, request.text())))) {
            session.refuse("53300", "too many logins wait for the master: try again later");
        }
    }

    private void refusePassThrough(Hello client, String reason) {
        audit(client, "refused", reason);
        session.refuse("28000", reason);
    }

    /** Runs a step on a thread that does not answer the client if the step fails. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("session {}: a login failed", session.id(), e);
            session.refuse("XX000", "internal error of the middleware: " + e);
        }
    }

    /** Called when a thread is free, and not before: by then, the failures of earlier logins are counted. */
    private void checkPassword(Hello client, String password) {
        if (session.isOver()) {
            session.drop();
            return;
        }
        if (!mayBeChecked(client)) {
            return;
        }
        PassThroughLogins.Outcome outcome = passThrough.check(client.user(), password, session::isOver);
        if (outcome instanceof PassThroughLogins.Accepted accepted) {
            roleLogin = accepted.login();
            users.failedLogins().succeeded(session.origin(), client.user(), System.nanoTime());
            welcome(client, Users.LoginMethod.MASTER, new byte[0], "the master has checked the password");
        } else if (outcome instanceof PassThroughLogins.Failed failed) {
            audit(client, "refused", failed.why());
            session.refuse(failed.sqlState(), failed.why());
        } else if (outcome instanceof PassThroughLogins.Refused refused) {
            LOG.info(
                    "{}: the master refused the user \"{}\": {}",
                    transport.remoteAddress(),
                    client.user(),
                    refused.why());
            refuse(client);
        }
    }

    private void audit(Hello client, String outcome, String reason) {
        admission.audit(client.user()).record("login", outcome, reason);
    }

    /** @param reason why the client may connect without a password; empty if it has proved one */
    private void welcome(Hello client, Users.LoginMethod method, byte[] signature, String reason) {
        String full = admission.admit(client.user()); // ends the time limit of the login
        if (session.isOver()) {
            audit(client, "refused", "the connection had ended before the login was complete");
            session.drop();
            return;
        }
        if (full != null) {
            audit(client, "refused", "too many clients");
            LOG.warn("{}: {}", transport.remoteAddress(), full);
            session.refuse("53300", full);
            return;
        }
        ClientConnectionHandler opened = admission.open(client, method);
        if (opened == null) {
            audit(client, "refused", "the user was removed during the login");
            session.refuse("28000", wasRemoved(client.user()));
            return;
        }
        session.opened(opened);
        audit(client, "accepted", reason);
        session.reply(new Welcome(
                session.id(),
                session.cancelKey(),
                admission.publishedScn(),
                signature,
                identity.engine(),
                identity.traces(),
                identity.nodes().get()));
    }

    /** Returns the message to a client whose user may not connect any more. */
    static String wasRemoved(String user) {
        return "the user \"%s\" was removed".formatted(user);
    }
}
