package io.multimed.middleware.node.engine;

import io.multimed.middleware.node.engine.sql.SchemaChange;
import io.multimed.middleware.node.engine.sql.SchemaChange.Action;
import io.multimed.middleware.node.engine.sql.SchemaChange.ObjectName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What statements may have done to the schema, and satellites have not been told yet.
 *
 * @param change what the statements said that they do; null if they said nothing
 * @param client the session of a client whose statement it was
 * @param sessions of the engine that were in the middle of it, by the engine's own numbers
 * @param lost those of them whose connections broke: they may be at it still
 */
public record UntoldChange(@Nullable SchemaChange change, long client, Set<Integer> sessions, Set<Integer> lost) {
    /** Beyond, it counts as a change of everything. */
    private static final int MOST_NAMES = 100;

    /** Both. */
    public UntoldChange and(UntoldChange other) {
        return new UntoldChange(
                both(change, other.change), client, union(sessions, other.sessions), union(lost, other.lost));
    }

    private static Set<Integer> union(Set<Integer> one, Set<Integer> other) {
        Set<Integer> all = new TreeSet<>(one);
        all.addAll(other);
        return all;
    }

    private static @Nullable SchemaChange both(@Nullable SchemaChange one, @Nullable SchemaChange other) {
        if (one == null || other == null || one.equals(other)) {
            return one == null ? other : one;
        }
        Set<ObjectName> names = new LinkedHashSet<>(one.names());
        names.addAll(other.names());
        boolean everything = names.size() > MOST_NAMES || isOfDatabase(one) || isOfDatabase(other);
        List<ObjectName> found = everything ? List.of() : new ArrayList<>(names);
        return new SchemaChange("", Action.ALTER, everything ? "DATABASE" : "TABLE", found, false);
    }

    /** For people. */
    public String what() {
        return change == null || change.names().isEmpty()
                ? "the schema"
                : change.names().stream().map(ObjectName::name).collect(Collectors.joining(", "));
    }

    private static boolean isOfDatabase(SchemaChange change) {
        return change.object().equals("DATABASE");
    }
}
