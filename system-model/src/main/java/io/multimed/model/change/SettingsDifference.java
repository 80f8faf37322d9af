// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

import io.multimed.model.Propagation;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Limits;
import io.multimed.model.listen.Listen;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The differences between two System Models outside of the sections {@code nodes}, {@code classes} and users. */
final class SettingsDifference {
    private static final String PORT = "the port is opened at the start";
    private static final String CONNECTED = "clients that are connected remain";
    private static final String RUNNING = "statements that run continue";
    private static final String RECORDING = "statements are recorded as the start has determined";

    private SettingsDifference() {}

    static List<PlannedChange> of(SystemModel running, SystemModel wanted) {
        KeyComparison<SystemModel> keys = new KeyComparison<>(PlannedChange.Part.MODEL, "", running, wanted);
        boolean samePort = (running.listen().tls() == null) == (wanted.listen().tls() == null);
        listen(keys);
        limits(keys);
        tls(keys, samePort ? Effect.LIVE : Effect.RESTART, samePort ? "new connections use it" : PORT);
        observation(keys);
        data(keys);
        return keys.changes();
    }

    private static void listen(KeyComparison<SystemModel> keys) {
        keys.key("listen.host", Effect.RESTART, PORT, model -> model.listen().host())
                .key(
                        "listen.port",
                        Effect.RESTART,
                        PORT,
                        model -> Integer.toString(model.listen().port()))
                .key(
                        "listen.max-clients",
                        Effect.LIVE,
                        CONNECTED,
                        model -> Integer.toString(model.listen().maxClients()))
                .key(
                        "listen.max-frame",
                        Effect.LIVE,
                        "for new connections",
                        model -> model.listen().maxFrame().toString())
                .key(
                        "listen.idle-in-transaction",
                        Effect.LIVE,
                        model -> Values.duration(model.listen().idle().inTransaction()))
                .key(
                        "listen.idle-pinned",
                        Effect.LIVE,
                        model -> Values.duration(model.listen().idle().pinned()))
                .key(
                        "listen.shutdown-wait",
                        Effect.LIVE,
                        model -> Values.duration(model.listen().shutdownWait()))
                .key(
                        "listen.users-file",
                        Effect.LIVE,
                        "users who are removed are disconnected",
                        model -> Values.optional(model.listen().usersFile()))
                .key(
                        "listen.pass-through",
                        Effect.LIVE,
                        "roles of the master are disconnected if they may not connect any more",
                        model -> Boolean.toString(model.listen().passThrough()))
                .key(
                        "listen.embedded",
                        Effect.RESTART,
                        PORT,
                        model -> Boolean.toString(model.listen().embedded()))
                .key(
                        "monitoring",
                        Effect.RESTART,
                        PORT,
                        model -> model.observation()
                                .monitoring()
                                .map(each -> each.host() + ":" + each.port())
                                .orElse(""))
                .key("dashboard", Effect.RESTART, PORT, SettingsDifference::dashboard);
    }

    private static void limits(KeyComparison<SystemModel> keys) {
        limit(
                keys,
                "clients-per-user",
                CONNECTED,
                limits -> count(limits.perUser().clients()));
        limit(keys, "clients-per-address", CONNECTED, limits -> Integer.toString(limits.clientsPerAddress()));
        limit(keys, "pending-logins", "", limits -> Integer.toString(limits.pendingLogins()));
        limit(keys, "pending-logins-per-address", "", limits -> Integer.toString(limits.pendingLoginsPerAddress()));
        limit(keys, "statements", RUNNING, limits -> Integer.toString(limits.statements()));
        limit(
                keys,
                "statements-per-user",
                RUNNING,
                limits -> count(limits.perUser().statements()));
        limit(keys, "acquire-timeout", "", limits -> Values.duration(limits.acquireTimeout()));
        limit(
                keys,
                "queued-per-client",
                "for new connections",
                limits -> limits.queuedPerClient().toString());
        limit(
                keys,
                "memory",
                "requests and results keep what they hold",
                limits -> Values.optional(limits.memory().orElse(null)));
    }

    private static void limit(
            KeyComparison<SystemModel> keys, String key, String note, Function<Limits, String> value) {
        keys.key(
                "listen.limits." + key,
                Effect.LIVE,
                note,
                model -> value.apply(model.listen().limits()));
    }

    /** Returns a limit as the model writes it; empty if there is none. */
    static String count(OptionalInt limit) {
        return limit.isEmpty() ? "" : Integer.toString(limit.getAsInt());
    }

    private static void tls(KeyComparison<SystemModel> keys, Effect effect, String note) {
        keys.key("listen.tls", effect, note, model -> model.listen().tls() == null ? "off" : "on")
                .key("listen.tls.certificate", effect, note, model -> file(model, 0))
                .key("listen.tls.key", effect, note, model -> file(model, 1))
                .key("listen.tls.client-authorities", effect, note, model -> file(model, 2))
                .secret("listen.tls.password", effect, note, model -> {
                    Listen.Tls tls = model.listen().tls();
                    return tls == null ? "" : tls.keyPassword().reveal();
                })
                .key("listen.tls.required", effect, note, model -> {
                    Listen.Tls tls = model.listen().tls();
                    return tls == null ? "" : Boolean.toString(tls.required());
                });
    }

    private static String file(SystemModel model, int number) {
        Listen.Tls tls = model.listen().tls();
        if (tls == null) {
            return "";
        }
        @Nullable Object file = number == 0 ? tls.certificate() : number == 1 ? tls.key() : tls.clientAuthorities();
        return Values.optional(file);
    }

    private static String dashboard(SystemModel model) {
        return model.observation()
                .dashboard()
                .map(each -> each.host() + ":" + each.port()
                        + each.names().stream().map(name -> ", " + name).collect(Collectors.joining()))
                .orElse("");
    }

    private static void observation(KeyComparison<SystemModel> keys) {
        keys.key("log.slow-statements", Effect.RESTART, RECORDING, SettingsDifference::slowStatements)
                .key(
                        "log.audit-file",
                        Effect.RESTART,
                        "the file is opened at the start",
                        model -> Values.optional(model.observation().log().auditFile()))
                .key(
                        "tracing",
                        Effect.RESTART,
                        RECORDING,
                        model -> model.observation()
                                .tracing()
                                .map(each -> each.endpoint() + ", sample " + each.sample())
                                .orElse(""));
    }

    /** Without the key, slow statements are kept, but not written to the log. */
    private static String slowStatements(SystemModel model) {
        return model.observation().log().writesSlowStatements()
                ? Values.duration(model.observation().log().slowStatements())
                : "";
    }

    private static void data(KeyComparison<SystemModel> keys) {
        keys.key("database", Effect.RESTART, "clients are connected to the running one", SystemModel::database)
                .key(
                        "freshness.policy",
                        Effect.LIVE,
                        model -> Values.word(model.reads().freshness().policy()))
                .key(
                        "freshness.wait",
                        Effect.LIVE,
                        model -> Values.duration(model.reads().freshness().longestWait()))
                .key(
                        "freshness.without-master",
                        Effect.LIVE,
                        model -> Values.word(model.reads().freshness().withoutMaster()))
                .key(
                        "commit.order",
                        Effect.RESTART,
                        "the commit order is built at the start",
                        model -> Values.word(model.commits().order()))
                .key(
                        "reads-before-write",
                        Effect.RESTART,
                        "sessions read it at the start",
                        model -> Values.word(model.reads().beforeWrite()))
                .key(
                        "propagation",
                        Effect.RESTART,
                        "the satellites are made at the start",
                        model -> Values.word(model.commits().propagation()))
                .key(
                        "receipts",
                        Effect.RESTART,
                        "the schema for receipts is installed at the start",
                        model -> Propagation.writtenReceipts(model.commits().receipts()))
                .key(
                        "bypass",
                        Effect.RESTART,
                        "the triggers are installed at the start",
                        model -> Values.word(model.commits().bypass()))
                .key(
                        "queue.bound",
                        Effect.LIVE,
                        model -> model.commits().queue().bound().toString())
                .key(
                        "queue.drop-after",
                        Effect.LIVE,
                        model -> model.commits().queue().dropAfter().toString())
                .key(
                        "queue.kept-for",
                        Effect.LIVE,
                        model -> Values.duration(model.commits().queue().keptFor()))
                .key(
                        "queue.kept-size",
                        Effect.LIVE,
                        model -> model.commits().queue().keptSize().toString())
                .key(
                        "cache.size",
                        Effect.RESTART,
                        "the cache is created at the start",
                        model -> model.reads().cache().size().toString())
                .key(
                        "optimization",
                        Effect.LIVE,
                        "what it means for nodes is listed with them",
                        model -> model.optimization().name())
                .key("share-cores", Effect.LIVE, model -> Boolean.toString(model.shareCores()));
    }
}
