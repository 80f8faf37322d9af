// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.Action;
import io.multimed.engine.sql.SchemaChange.ObjectName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A schema change, by one or more statements, that has not been sent to the satellites yet.
 *
 * @param change as the statements describe it; null if they do not
 * @param statements the numbers with which the statements were announced
 * @param client the session of a client that ran one of the statements
 * @param sessions engine sessions that ran the statements, by the engine's own numbers
 * @param lost those of them whose connections broke: the statement may still be running
 */
public record UnrecordedDdl(
        @Nullable SchemaChange change, Set<Long> statements, long client, Set<Integer> sessions, Set<Integer> lost) {
    /** With more names, it counts as a change of all tables. */
    private static final int MAX_NAMES = 100;

    /** Returns the union of both changes. */
    public UnrecordedDdl and(UnrecordedDdl other) {
        return new UnrecordedDdl(
                both(change, other.change),
                union(statements, other.statements),
                client,
                union(sessions, other.sessions),
                union(lost, other.lost));
    }

    private static <N extends Comparable<N>> Set<N> union(Set<N> one, Set<N> other) {
        Set<N> all = new TreeSet<>(one);
        all.addAll(other);
        return all;
    }

    private static @Nullable SchemaChange both(@Nullable SchemaChange one, @Nullable SchemaChange other) {
        if (one == null || other == null || one.equals(other)) {
            return one == null ? other : one;
        }
        Set<ObjectName> names = new LinkedHashSet<>(one.names());
        names.addAll(other.names());
        boolean everything = names.size() > MAX_NAMES || isOfDatabase(one) || isOfDatabase(other);
        List<ObjectName> found = everything ? List.of() : new ArrayList<>(names);
        return new SchemaChange("", Action.ALTER, everything ? "DATABASE" : "TABLE", found, false);
    }

    /** Describes the change for messages. */
    public String what() {
        return change == null || change.names().isEmpty()
                ? "the schema"
                : change.names().stream().map(ObjectName::name).collect(Collectors.joining(", "));
    }

    private static boolean isOfDatabase(SchemaChange change) {
        return change.object().equals("DATABASE");
    }
}
