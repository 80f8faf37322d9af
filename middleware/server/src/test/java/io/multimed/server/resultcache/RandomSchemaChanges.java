// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import java.sql.SQLException;
import java.util.List;
import java.util.Random;

/** Changes the schema at random, so that names stand for other tables and columns, and changes most of it back. */
final class RandomSchemaChanges {
    private final Random random;
    private final String engine;
    private final List<Table> tables;
    private final RandomChanges changes;
    private int count;

    /** Compares some answers. */
    @FunctionalInterface
    interface Comparison {
        void run() throws SQLException;
    }

    RandomSchemaChanges(Random random, String engine, List<Table> tables, RandomChanges changes) {
        this.random = random;
        this.engine = engine;
        this.tables = tables;
        this.changes = changes;
    }

    /** Returns how often the schema was changed. */
    int count() {
        return count;
    }

    /** Creates the tables with some rows. */
    void create() throws SQLException {
        if (engine.equals("postgresql")) {
            changes.execute(
                    "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        }
        for (Table each : tables) {
            changes.execute(each.definition(each.name()));
            changes.fill(each);
        }
        changes.execute(tables.get(0).definition("twin"));
        changes.execute("INSERT INTO twin (id, a, c) VALUES (1, 1, 'v1'), (2, 2, 'twin')");
        changes.execute("CREATE VIEW cheap AS SELECT id, a FROM book WHERE b < 3");
    }

    /** Makes one change, and compares after each of its steps. */
    void change(Comparison comparison) throws SQLException {
        count++;
        for (String each : steps()) {
            changes.execute(each);
            comparison.run();
        }
    }

    private List<String> steps() {
        boolean postgres = engine.equals("postgresql");
        return switch (random.nextInt(7)) {
            case 0 ->
                List.of(
                        "ALTER TABLE sale ADD COLUMN extra int DEFAULT 3",
                        "UPDATE sale SET extra = x WHERE id = 1",
                        "ALTER TABLE sale DROP COLUMN extra");
            case 1 ->
                List.of(
                        "ALTER TABLE sale RENAME COLUMN a TO other",
                        "ALTER TABLE sale RENAME COLUMN x TO a",
                        "ALTER TABLE sale RENAME COLUMN other TO x");
            case 2 ->
                List.of(
                        "ALTER TABLE loose RENAME TO other",
                        "CREATE TABLE loose (a bigint, c varchar(20), book_id int)",
                        "INSERT INTO loose SELECT a, c, book_id FROM other",
                        "DROP TABLE other");
            case 3 -> List.of("CREATE INDEX book_c ON book (c)", "DROP INDEX book_c" + (postgres ? "" : " ON book"));
            case 4 ->
                List.of(
                        postgres ? "ALTER TABLE sale ALTER x TYPE bigint" : "ALTER TABLE sale MODIFY x bigint",
                        postgres ? "ALTER TABLE sale ALTER x TYPE int" : "ALTER TABLE sale MODIFY x int");
            case 5 -> List.of("DROP VIEW cheap", "CREATE VIEW cheap AS SELECT id, b AS a FROM book WHERE b < 4");
            default -> swap();
        };
    }

    /** Exchanges two tables that look the same. */
    private static List<String> swap() {
        return List.of(
                "DROP VIEW cheap",
                "ALTER TABLE book RENAME TO other",
                "ALTER TABLE twin RENAME TO book",
                "ALTER TABLE other RENAME TO twin",
                "CREATE VIEW cheap AS SELECT id, a FROM book WHERE b < 3");
    }
}
