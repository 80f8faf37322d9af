package io.multimed.engine.writeset;

import java.util.List;
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

    /**
     * A row too large to be held as one text. The bytes of its columns that are sent follow the change, in pieces and column by column.
     *
     * @param before the row's text with NULL in place of its large columns; null for an inserted row
     * @param after as {@code before}; null for a deleted row
     */
    record LargeRowChange(
            long relation,
            @Nullable String before,
            @Nullable String after,
            List<LargeColumn> columns) implements Change {
        /** How many pieces follow. */
        public int pieces() {
            return columns.stream().mapToInt(LargeColumn::pieces).sum();
        }
    }

    /**
     * A large column of a changed row.
     *
     * @param type the engine's name of its type, as it must stand in SQL
     * @param was SHA-256 of the bytes that it had, in hex; {@link #NULL} if it was NULL; empty if it need not be looked at
     * @param is {@link #KEPT} if the change left it alone, {@link #NULL} if it is NULL now, otherwise the number of pieces of what it is
     */
    record LargeColumn(String name, String type, String was, String is) {
        public static final String KEPT = "kept";
        public static final String NULL = "null";

        public boolean isKept() {
            return is.equals(KEPT);
        }

        /** How many pieces of it follow the change; 0 if it is not sent. */
        public int pieces() {
            return isKept() || is.equals(NULL) ? 0 : Integer.parseInt(is);
        }
    }

    /** All rows of a relation went. */
    record Truncation(long relation) implements Change {}

    /** A statement that every node runs itself: DDL, ANALYZE. {@code searchPath} is what unqualified names were looked up in. */
    record StatementChange(String searchPath, String sql) implements Change {}

    /** From here on a relation looks like this. */
    record RelationChange(Relation relation) implements Change {}

    /**
     * A table is another one now, or gone. The rows that it has follow as inserted ones, whatever was there before. Nothing else is in a WriteSet with such changes.
     *
     * @param relation the id of the new form, or of the form that is gone
     * @param form the new form in the engine's text; null if the table is gone
     */
    record FormChange(long relation, @Nullable String form) implements Change {}

    /**
     * A captured change that cannot be read. It is committed; satellites that need it are not copies of the master any
     * more and must be copied again. The only change of its WriteSet.
     */
    record Unreadable(String why) implements Change {}
}
