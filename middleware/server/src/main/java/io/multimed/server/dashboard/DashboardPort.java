// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.multimed.model.listen.Dashboard;
import io.multimed.server.audit.ClientAudit;
import io.multimed.server.communication.Users;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.dashboard.Sessions.Session;
import io.multimed.server.http.HttpAnswer;
import io.multimed.server.http.HttpPort;
import io.multimed.server.http.HttpRequest;
import io.multimed.server.node.EventLog;
import io.multimed.server.node.NamedThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of the dashboard: the page, its state as JSON, logins, and the operations of administrators. If the
 * middleware has users, everything but the page itself requires a login, and operations an administrator. Otherwise it
 * requires a browser of a trusted account; each request is checked, because one connection may follow another.
 */
public final class DashboardPort implements AutoCloseable {
    private static final HttpAnswer LOGIN_FIRST = HttpAnswer.text(HttpAnswer.UNAUTHORIZED, "log in first");

    private static final Logger LOG = LoggerFactory.getLogger(DashboardPort.class);
    private static final String JSON = "application/json; charset=utf-8";
    private static final int THREADS = 8;

    /** Logins that wait for their check, which takes milliseconds; further ones are refused. */
    private static final int MAX_WAITING = 20;

    /** The same for one address. */
    private static final int MAX_WAITING_OF_ADDRESS = 4;

    private static final int MAX_PASSWORD_CHARACTERS = 1_000;

    /** The page runs no code and loads no styles but those of the port itself, and no other page may show it. */
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Permissions-Policy",
            "camera=(), geolocation=(), microphone=()",
            "Cache-Control",
            "no-store");

    private final ObjectMapper json = new ObjectMapper();
    private final DashboardSources sources;
    private final @Nullable ServerTls tls;
    private final HttpPort port;
    private final RequestGuard guard;

    /** As in the System Model, for addresses of pages. */
    private final String host;

    private final Sessions sessions;
    private final Sampler sampler;
    private final Actions actions;
    private final Map<String, HttpAnswer> files;
    private final WaitingLogins waitingLogins = new WaitingLogins(MAX_WAITING, MAX_WAITING_OF_ADDRESS);
    private final ExecutorService logins = Executors.newSingleThreadExecutor(new NamedThreads("dashboard-login"));

    private DashboardPort(Dashboard settings, @Nullable ServerTls tls, HttpPort port, DashboardSources sources)
            throws IOException {
        this.sources = sources;
        this.tls = tls;
        this.port = port;
        this.files = PageFiles.read();
        this.host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
        this.guard = new RequestGuard(settings.host(), settings.names());
        this.sessions = new Sessions(sources.users());
        this.actions = new Actions(sources.administration(), sources.events());
        this.sampler = new Sampler(sources.server(), sources.traffic(), this::renewCertificate);
        port.handle("/", this::handle);
    }

    /**
     * Opens the port.
     *
     * @param tls the certificate of the client port; used unless the port is on loopback
     * @throws IOException if the port is in use, or the address does not belong to this machine
     */
    public static DashboardPort open(Dashboard settings, @Nullable ServerTls tls, DashboardSources sources)
            throws IOException {
        ServerTls used = settings.isLocal() ? null : tls;
        HttpPort.Options options = new HttpPort.Options(
                        new InetSocketAddress(settings.host(), settings.port()), "dashboard")
                .threads(THREADS)
                .headers(HEADERS);
        HttpPort port = used == null
                ? HttpPort.create(options, null, false)
                : HttpPort.create(options, used.context(), used.asksClients());
        DashboardPort dashboard = new DashboardPort(settings, used, port, sources);
        dashboard.sampler.start();
        port.start();
        LOG.info("dashboard on {}", dashboard.url());
        return dashboard;
    }

    private void renewCertificate() {
        ServerTls current = tls;
        if (current != null) {
            port.renew(current.context(), current.asksClients());
        }
    }

    public InetSocketAddress address() {
        return port.address();
    }

    /** Returns the address for browsers. */
    public String url() {
        return "%s://%s:%d/"
                .formatted(tls == null ? "http" : "https", host, address().getPort());
    }

    private void handle(HttpRequest request) throws IOException {
        Optional<HttpAnswer> refusal = guard.check(request).or(() -> checkAccount(request));
        if (refusal.isPresent()) {
            request.answer(refusal.get());
        } else if (request.method().equals("GET")) {
            get(request);
        } else {
            post(request);
        }
    }

    /** Without users, only trusted accounts of this machine receive more than the page itself, and may act. */
    private Optional<HttpAnswer> checkAccount(HttpRequest request) {
        if (!request.path().startsWith("/api/") || sources.users().areAsked()) {
            return Optional.empty();
        }
        LocalClients.Decision decision =
                sources.localClients().await(new LocalConnection(request.client(), request.server()));
        String refusal = decision.refusal();
        if (refusal == null) {
            return Optional.empty();
        }
        audit(request, "").record("login", "refused", "dashboard: without a password; account " + decision.account());
        LOG.warn("dashboard: {}: {}", request.client(), refusal);
        return Optional.of(HttpAnswer.text(HttpAnswer.FORBIDDEN, refusal));
    }

    private void get(HttpRequest request) {
        Session session = sessions.find(request.cookie(cookieName()));
        switch (request.path()) {
            case "/api/session" -> request.answer(json(HttpAnswer.OK, describe(session)));
            case "/api/state" -> request.answer(session == null ? LOGIN_FIRST : state(request, session));
            default ->
                request.answer(files.getOrDefault(
                        request.path(), HttpAnswer.text(HttpAnswer.NOT_FOUND, "there is no such page")));
        }
    }

    /** Who uses the page. A page without a login receives nothing else. */
    private Map<String, Object> describe(@Nullable Session session) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("users", sources.users().areAsked());
        all.put("loggedIn", session != null);
        if (session != null) {
            all.put("user", session.user());
            all.put("administrator", isAdministrator(session));
            all.put("guard", session.guard());
        }
        return all;
    }

    private boolean isAdministrator(Session session) {
        return sources.users().isAdministrator(session.user());
    }

    private HttpAnswer state(HttpRequest request, Session session) {
        String after = request.query().getOrDefault("after", "0");
        if (!after.matches("[0-9]{1,18}")) {
            throw new IllegalArgumentException("after is the number of a sample");
        }
        return json(HttpAnswer.OK, DashboardState.of(sources, sampler, actions, session.user(), Long.parseLong(after)));
    }

    private void post(HttpRequest request) throws IOException {
        if (request.path().equals("/api/login")) {
            login(request);
            return;
        }
        String token = request.cookie(cookieName());
        Session session = sessions.find(token);
        if (session == null) {
            request.answer(LOGIN_FIRST);
        } else if (!session.isGuardedBy(request.header("X-Multimed-Guard"))) {
            request.answer(HttpAnswer.text(HttpAnswer.FORBIDDEN, "the page is outdated; load it again"));
        } else if (request.path().equals("/api/logout")) {
            sessions.close(token);
            request.answer(json(HttpAnswer.OK, Map.of()).with("Set-Cookie", cookie("", "Max-Age=0; ")));
        } else if (request.path().equals("/api/action")) {
            request.answer(act(request, session));
        } else {
            request.answer(HttpAnswer.text(HttpAnswer.NOT_FOUND, "there is no such operation"));
        }
    }

    private HttpAnswer act(HttpRequest request, Session session) throws IOException {
        Map<String, String> form = request.form();
        ClientAudit audit = audit(request, session.user());
        if (!isAdministrator(session)) {
            audit.record("statement", "refused", "dashboard: no administrator");
            LOG.warn("dashboard: {} is no administrator, and may not change the system", session.user());
            return HttpAnswer.text(
                    HttpAnswer.FORBIDDEN, "permission denied: this requires a user with administrator: true");
        }
        try {
            return json(
                    HttpAnswer.ACCEPTED,
                    actions.start(
                            Actions.Kind.of(form.getOrDefault("action", "")),
                            form.getOrDefault("satellite", ""),
                            form.getOrDefault("force", "false").equals("true"),
                            session.user(),
                            audit));
        } catch (RejectedExecutionException e) {
            LOG.debug("an operation was refused", e);
            return HttpAnswer.text(HttpAnswer.TOO_MANY, "too many operations are running; try again later");
        }
    }

    /** Lets a login wait for its check without a thread of the port: checks take more of a processor than others. */
    private void login(HttpRequest request) throws IOException {
        Map<String, String> form = request.form();
        String user = form.getOrDefault("user", "");
        char[] password = form.getOrDefault("password", "").toCharArray();
        if (user.length() > MAX_PASSWORD_CHARACTERS || password.length > MAX_PASSWORD_CHARACTERS) {
            throw new IllegalArgumentException("the name or the password is too long");
        }
        if (isRefused(request, user)) {
            return;
        }
        if (!waitingLogins.enter(request.address())) {
            request.answer(HttpAnswer.text(HttpAnswer.TOO_MANY, "too many logins wait; try again later"));
            return;
        }
        try {
            logins.execute(() -> verifyAndRelease(request, user, password));
        } catch (RejectedExecutionException e) {
            waitingLogins.leave(request.address());
            request.answer(HttpAnswer.text(HttpAnswer.UNAVAILABLE, "the middleware is shutting down"));
        }
    }

    private void verifyAndRelease(HttpRequest request, String user, char[] password) {
        try {
            if (!isRefused(request, user)) { // the failures of earlier logins are counted by now
                verify(request, user, password);
            }
        } catch (RuntimeException e) {
            LOG.error("a login could not be verified", e);
            request.answer(HttpAnswer.text(HttpAnswer.FAILED, "internal error; see the log of the middleware"));
        } finally {
            waitingLogins.leave(request.address());
        }
    }

    /** Refuses a login without a check after too many failed ones from the same place. */
    private boolean isRefused(HttpRequest request, String user) {
        Users.Refusal refusal = sources.users().refusal(request.address(), user);
        if (refusal != null) {
            if (refusal.first()) {
                audit(request, user).record("login", "refused", "dashboard: too many failed logins");
                LOG.warn("dashboard: {}: user \"{}\": {}", request.address(), user, refusal.reason());
            }
            request.answer(HttpAnswer.text(HttpAnswer.TOO_MANY, refusal.reason()));
        }
        return refusal != null;
    }

    private void verify(HttpRequest request, String user, char[] password) {
        Users.Login login = sources.users().login(request.address(), user, password);
        if (login == null) {
            audit(request, user).record("login", "refused", "dashboard: wrong user or password");
            LOG.warn("dashboard: {}: password authentication failed for user \"{}\"", request.address(), user);
            sources.events()
                    .add(
                            EventLog.Severity.WARNING,
                            "dashboard",
                            "a login from %s failed".formatted(request.address().getHostAddress()));
            request.answer(HttpAnswer.text(HttpAnswer.UNAUTHORIZED, "The user or the password is wrong."));
        } else {
            audit(request, user).record("login", "accepted", "dashboard");
            LOG.info("dashboard: {}: user \"{}\" has logged in", request.address(), user);
            request.answer(json(HttpAnswer.OK, Map.of()).with("Set-Cookie", cookie(sessions.open(login), "")));
        }
    }

    private ClientAudit audit(HttpRequest request, String user) {
        return sources.server().audit().client(user, request.address().getHostAddress(), tls == null ? "" : "TLS");
    }

    /** Cookies do not distinguish ports: several dashboards on one machine need several names. */
    private String cookieName() {
        return (tls == null ? "" : "__Host-") + "multimed-" + address().getPort();
    }

    private String cookie(String token, String more) {
        return "%s=%s; %sPath=/; HttpOnly; SameSite=Strict%s"
                .formatted(cookieName(), token, more, tls == null ? "" : "; Secure");
    }

    private HttpAnswer json(int code, Object value) {
        try {
            return new HttpAnswer(code, JSON, json.writeValueAsBytes(value), Map.of());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the state cannot be written", e);
        }
    }

    @Override
    public void close() {
        port.close();
        sampler.close();
        logins.shutdownNow();
        actions.close();
    }
}
