// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import java.util.List;

/**
 * A table of the random test.
 *
 * @param columns in order; the first one is the key if {@code hasKey}
 */
record Table(String name, boolean hasKey, List<Column> columns) {
    /**
     * A column.
     *
     * @param type in the engine's SQL
     * @param isPlain whether equal values of the column look the same, so that the engine's choice among them does not
     *     show
     */
    record Column(String name, String type, Values values, boolean isPlain) {
        /** Returns whether LIKE is defined; otherwise it depends on the plan whether a query fails. */
        boolean isLikeable() {
            return !type.contains("nocase");
        }
    }

    private static Column integer(String name, String type) {
        return new Column(name, type, Values.INTEGER, true);
    }

    private static Column of(String name, String type, Values values) {
        return new Column(name, type, values, false);
    }

    /** Returns the tables for an engine. Names of columns occur in several tables. */
    static List<Table> of(String engine) {
        boolean folds = !engine.equals("postgresql"); // its default collation takes different texts for equal
        return List.of(
                new Table(
                        "book",
                        true,
                        List.of(
                                integer("id", "int"),
                                integer("a", "int"),
                                integer("b", "bigint"),
                                new Column("c", "varchar(20)", Values.TEXT, !folds),
                                new Column("d", "varchar(20)", Values.TEXT, !folds))),
                new Table(
                        "sale",
                        true,
                        List.of(
                                integer("id", "int"),
                                integer("book_id", "int"),
                                integer("x", "int"),
                                integer("a", "int"))),
                new Table("item", true, folds ? folding() : exact()),
                new Table(
                        "loose",
                        false,
                        List.of(
                                integer("a", "smallint"),
                                new Column("c", "varchar(20)", Values.TEXT, !folds),
                                integer("book_id", "bigint"))),
                new Table(
                        "wide",
                        true,
                        List.of(
                                integer("id", "int"),
                                integer("a", "int"),
                                new Column("c", folds ? "mediumtext" : "text", Values.TEXT, !folds))));
    }

    private static List<Column> exact() {
        return List.of(
                integer("id", "bigint"),
                integer("a", "smallint"),
                integer("book_id", "int"),
                of("n", "numeric(8, 2)", Values.DECIMAL),
                of("f", "double precision", Values.DOUBLE),
                of("k", "char(5)", Values.TEXT),
                new Column("c", "text COLLATE \"C\"", Values.TEXT, true),
                of("s", "text COLLATE nocase", Values.TEXT),
                of("day", "date", Values.DATE),
                of("flag", "boolean", Values.FLAG),
                of("u", "uuid", Values.UUIDS));
    }

    private static List<Column> folding() {
        return List.of(
                integer("id", "bigint"),
                integer("a", "smallint unsigned"),
                integer("book_id", "int"),
                of("n", "decimal(8, 2)", Values.DECIMAL),
                of("f", "double", Values.DOUBLE),
                of("k", "char(5)", Values.TEXT),
                of("c", "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", Values.TEXT),
                of("s", "varchar(20)", Values.TEXT),
                of("day", "date", Values.DATE),
                of("flag", "boolean", Values.FLAG),
                of("u", "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", Values.TEXT));
    }

    /** Returns the statement that creates the table under a name. */
    String definition(String as) {
        StringBuilder sql = new StringBuilder("CREATE TABLE " + as + " (");
        for (int i = 0; i < columns.size(); i++) {
            sql.append(i == 0 ? "" : ", ")
                    .append(columns.get(i).name)
                    .append(' ')
                    .append(columns.get(i).type)
                    .append(i == 0 && hasKey ? " PRIMARY KEY" : "");
        }
        return sql.append(')').toString();
    }
}
