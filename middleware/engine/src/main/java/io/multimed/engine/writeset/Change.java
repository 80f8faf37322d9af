// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step of a WriteSet. The order of steps is that of the master. */
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
     * A row that is too large to be held as one text. The bytes of its large columns follow the change, in pieces and
     * column by column.
     *
     * @param before the row's text with NULL in place of its large columns; null for an inserted row
     * @param after the new version in the same form; null for a deleted row
     * @param columns the large columns, in the order in which their pieces follow
     */
    record LargeRowChange(
            long relation,
            @Nullable String before,
            @Nullable String after,
            List<LargeColumn> columns) implements Change {
        /** Returns the number of pieces that follow the change. */
        public int pieces() {
            return columns.stream().mapToInt(LargeColumn::pieces).sum();
        }
    }

    /**
     * A large column of a changed row.
     *
     * @param type the engine's name of its type, as SQL requires it
     * @param was SHA-256 of its old bytes, in hex; {@link #NULL} if it was NULL; empty if the old value need not be
     *     compared
     * @param is {@link #KEPT} if the change has not affected it, {@link #NULL} if it is NULL now, otherwise the number
     *     of pieces of its new value
     */
    record LargeColumn(String name, String type, String was, String is) {
        public static final String KEPT = "kept";
        public static final String NULL = "null";

        public boolean isKept() {
            return is.equals(KEPT);
        }

        /** Returns the number of pieces of the column that follow the change; 0 if its value is not sent. */
        public int pieces() {
            return isKept() || is.equals(NULL) ? 0 : Integer.parseInt(is);
        }
    }

    /** The deletion of all rows of a relation. */
    record Truncation(long relation) implements Change {}

    /**
     * A statement that every node runs itself, such as DDL or ANALYZE. {@code searchPath} resolves its unqualified
     * names.
     */
    record StatementChange(String searchPath, String sql) implements Change {}

    /** The form of a relation from here on. */
    record RelationChange(Relation relation) implements Change {}

    /**
     * A table that was replaced or dropped. Its new rows follow as inserted ones and replace all earlier rows. The
     * WriteSet contains no other changes.
     *
     * @param relation the id of the new form, or of the dropped table
     * @param form the new form in the engine's text; null if the table was dropped
     */
    record FormChange(long relation, @Nullable String form) implements Change {}

    /**
     * A captured change that cannot be read. It is committed; satellites that need it are not copies of the master any
     * more and must be copied again. The only change of its WriteSet.
     */
    record Unreadable(String why) implements Change {}
}
