// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.listen.Listen;
import io.multimed.model.yaml.YamlSection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Checks a model with {@code propagation: log}, whose satellites replay all that the master logs. */
final class StandbyRules {
    private static final Pattern OF_SESSION = Pattern.compile("(?<=[?&])(user|currentSchema|options)=[^&]*");

    private final YamlSection top;

    private StandbyRules(YamlSection top) {
        this.top = top;
    }

    /** Adds a problem to {@code top} for each key that needs captured rows, or copies by Multimed. */
    static void check(
            YamlSection top,
            Listen listen,
            SystemModel.Reads reads,
            SystemModel.Commits commits,
            List<NodeSpec> nodes) {
        StandbyRules rules = new StandbyRules(top);
        String unknown = "the rows that commits change are not known with propagation: log";
        rules.refuse(
                "commit",
                commits.order() == CommitOrdering.SERIAL,
                "order: serial would force the log for each commit");
        rules.refuse("reads-before-write", reads.beforeWrite() != ReadsBeforeWrite.MASTER, unknown);
        rules.refuse("cache", reads.cache().size().bytes() > 0, unknown);
        rules.refuse(
                "listen",
                listen.passThrough()
                        || listen.usersFile() != null
                        || listen.users().stream().anyMatch(user -> user.role() != null),
                "roles, users-file and pass-through are not supported with propagation: log");
        rules.refuse(
                "receipts",
                !commits.receipts() && commits.bypass() == Bypass.REFUSE,
                "off needs direct-writes: allowed, because nothing on the master keeps another Multimed away");
        nodes.stream()
                .filter(node -> node.role() == Role.MASTER)
                .findFirst()
                .ifPresent(master -> nodes.forEach(node -> checkNode(top, node, master)));
    }

    /** Adds a problem to {@code section}, which is the whole model or a node that is added to the running one. */
    static void checkNode(YamlSection section, NodeSpec node, NodeSpec master) {
        StandbyRules rules = new StandbyRules(section);
        rules.refuse(
                "propagation",
                !Propagation.LOG.isPossibleWith(node.engine()),
                "log: Multimed makes no standbys of %s (%s)".formatted(node.engine(), node.name()));
        rules.refuse(
                "propagation",
                !node.content().equals(NodeSpec.Content.ALL),
                "log: a standby has the tables, indexes and views of its master, and %s names others"
                        .formatted(node.name()));
        rules.refuse(
                "propagation",
                isExternal(node) != isExternal(master),
                "log: either all nodes are external, or Multimed starts all nodes; %s differs from the master"
                        .formatted(node.name()));
        rules.refuse(
                "propagation",
                !user(node).equals(user(master)),
                "log: a read has the rights of the node's user, and %s has another user than the master"
                        .formatted(node.name()));
        rules.refuse(
                "propagation",
                !ofSession(node).equals(ofSession(master)),
                "log: user, currentSchema and options in the URL of %s differ from those of the master"
                        .formatted(node.name()));
    }

    /** Multimed makes standbys from the files of a master that Multimed has started. */
    private static boolean isExternal(NodeSpec node) {
        return node.program().source() == Source.EXTERNAL;
    }

    private static Optional<String> user(NodeSpec node) {
        return node.program().external().map(ExternalConnection::user);
    }

    /** Returns the parameters of the URL by which sessions differ. */
    private static Set<String> ofSession(NodeSpec node) {
        return node.program().external().stream()
                .flatMap(external -> OF_SESSION.matcher(external.url()).results())
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    private void refuse(String key, boolean wrong, String why) {
        if (wrong) {
            top.problem(key, why, "change it, or use propagation: triggers");
        }
    }
}
