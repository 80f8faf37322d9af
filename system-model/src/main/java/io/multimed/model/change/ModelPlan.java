// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.model.RoutingClassSpec;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Listen;
import io.multimed.model.value.Secret;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/** All changes that lead from the running System Model to another one. Contains no passwords. */
public record ModelPlan(List<PlannedChange> changes) {
    private static final int FINGERPRINT_BYTES = 8;

    public ModelPlan {
        changes = List.copyOf(changes);
    }

    /** Compares two valid models. */
    public static ModelPlan of(SystemModel running, SystemModel wanted) {
        List<PlannedChange> changes = new ArrayList<>(SettingsDifference.of(running, wanted));
        changes.addAll(parts(
                PlannedChange.Part.CLASS,
                classes(running.reads().classes()),
                classes(wanted.reads().classes()),
                ModelPlan::between));
        changes.addAll(order(running.reads().classes(), wanted.reads().classes()));
        changes.addAll(NodeDifference.of(running, wanted));
        changes.addAll(parts(
                PlannedChange.Part.USER,
                users(running.listen().users()),
                users(wanted.listen().users()),
                ModelPlan::between));
        return new ModelPlan(changes);
    }

    private static Map<String, RoutingClassSpec> classes(List<RoutingClassSpec> classes) {
        Map<String, RoutingClassSpec> byName = new LinkedHashMap<>();
        classes.forEach(each -> byName.put(each.name(), each));
        return byName;
    }

    private static Map<String, Listen.User> users(List<Listen.User> users) {
        Map<String, Listen.User> byName = new LinkedHashMap<>();
        users.forEach(each -> byName.put(each.name(), each));
        return byName;
    }

    private static <T> List<PlannedChange> parts(
            PlannedChange.Part part,
            Map<String, T> running,
            Map<String, T> wanted,
            BiFunction<T, T, List<PlannedChange>> difference) {
        List<PlannedChange> changes = new ArrayList<>();
        wanted.forEach((name, after) -> {
            T before = running.get(name);
            if (before == null) {
                changes.add(whole(PlannedChange.Kind.ADD, part, name));
            } else {
                changes.addAll(difference.apply(before, after));
            }
        });
        running.keySet().stream()
                .filter(name -> !wanted.containsKey(name))
                .forEach(name -> changes.add(whole(PlannedChange.Kind.REMOVE, part, name)));
        return changes;
    }

    private static PlannedChange whole(PlannedChange.Kind kind, PlannedChange.Part part, String name) {
        boolean disconnects = kind == PlannedChange.Kind.REMOVE && part == PlannedChange.Part.USER;
        return new PlannedChange(
                kind, part, name, "", "", "", Effect.LIVE, disconnects ? "the user's clients are disconnected" : "");
    }

    /** Returns a change of the order in which the criteria of the classes are examined. */
    private static List<PlannedChange> order(List<RoutingClassSpec> running, List<RoutingClassSpec> wanted) {
        List<String> before = running.stream().map(RoutingClassSpec::name).toList();
        List<String> after = wanted.stream().map(RoutingClassSpec::name).toList();
        if (before.size() != after.size() || !before.containsAll(after)) {
            return List.of();
        }
        return new KeyComparison<>(PlannedChange.Part.MODEL, "", before, after)
                .key("classes", Effect.LIVE, "their order", names -> String.join(", ", names))
                .changes();
    }

    private static List<PlannedChange> between(RoutingClassSpec before, RoutingClassSpec after) {
        return new KeyComparison<>(PlannedChange.Part.CLASS, after.name(), before, after)
                .key("tables", Effect.LIVE, each -> String.join(", ", each.tables()))
                .key(
                        "pattern",
                        Effect.LIVE,
                        each -> each.pattern().map(Pattern::pattern).orElse(""))
                .key("slower-than", Effect.LIVE, each -> Values.duration(each.slowerThan()))
                .key("concurrency", Effect.LIVE, each -> Integer.toString(each.concurrency()))
                .key("queue", Effect.LIVE, each -> Integer.toString(each.queue()))
                .key("wait", Effect.LIVE, each -> Values.duration(each.longestWait()))
                .changes();
    }

    private static List<PlannedChange> between(Listen.User before, Listen.User after) {
        String connected = "for new connections";
        return new KeyComparison<>(PlannedChange.Part.USER, after.name(), before, after)
                .secret(
                        "password",
                        Effect.LIVE,
                        connected,
                        each -> each.password().reveal())
                .key("administrator", Effect.LIVE, connected, each -> Boolean.toString(each.administrator()))
                .key(
                        "role",
                        Effect.LIVE,
                        connected,
                        each -> each.role() == null ? "" : each.role().name())
                .key(
                        "max-clients",
                        Effect.LIVE,
                        "for new clients and statements",
                        each -> SettingsDifference.count(each.limits().clients()))
                .key(
                        "max-statements",
                        Effect.LIVE,
                        "for new clients and statements",
                        each -> SettingsDifference.count(each.limits().statements()))
                .secret("role-password", Effect.LIVE, connected, ModelPlan::passwordOfRole)
                .changes();
    }

    private static String passwordOfRole(Listen.User user) {
        Listen.Role role = user.role();
        Secret password = role == null ? null : role.password();
        return password == null ? "" : password.reveal();
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /** Returns the changes that the running system can make. */
    public List<PlannedChange> live() {
        return changes.stream().filter(PlannedChange::isLive).toList();
    }

    /** Returns a short text that two plans have in common only if they contain the same changes. */
    public String fingerprint() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(changes.toString().getBytes(UTF_8));
            return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256", e);
        }
    }
}
