package io.multimed.middleware.writeset;

import org.jspecify.annotations.Nullable;

/** One step of a WriteSet, in the order in which the master did it. */
public sealed interface Change {
    /**
     * A row with its old and new versions, each in the engine's text form of a whole row.
     *
     * @param before null for an inserted row
     * @param after null for a deleted row
     */
    record RowChange(
            long relation,
            @Nullable String before,
            @Nullable String after) implements Change {}

    /** All rows of a relation went. */
    record Truncation(long relation) implements Change {}

    /** A statement that every node runs itself: DDL, ANALYZE. {@code searchPath} is what unqualified names were looked up in. */
    record StatementChange(String searchPath, String sql) implements Change {}

    /** From here on a relation looks like this. */
    record RelationChange(Relation relation) implements Change {}
}
