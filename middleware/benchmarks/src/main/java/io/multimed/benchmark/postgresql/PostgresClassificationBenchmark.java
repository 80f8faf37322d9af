package io.multimed.benchmark.postgresql;

import io.multimed.benchmark.ClassificationBenchmark;

/** The classification of statements in PostgreSQL's SQL. */
public class PostgresClassificationBenchmark extends ClassificationBenchmark {
    public PostgresClassificationBenchmark() {
        super("postgresql");
    }

    @Override
    protected String text(Statement kind) {
        return switch (kind) {
            case READ -> "SELECT i_id, i_title, i_cost FROM item WHERE i_id = ? AND i_stock > #";
            case JOIN -> """
                SELECT i.i_id, i.i_title, a.a_fname, a.a_lname, sum(ol.ol_qty) AS sold
                FROM item i JOIN author a ON i.i_a_id = a.a_id JOIN order_line ol ON ol.ol_i_id = i.i_id
                WHERE i.i_subject = ? AND ol.ol_o_id > #
                GROUP BY i.i_id, i.i_title, a.a_fname, a.a_lname ORDER BY sold DESC LIMIT 50""";
            case UPDATE -> "UPDATE item SET i_cost = ?, i_stock = i_stock - 1 WHERE i_id = #";
            case DDL -> "CREATE TABLE note_# (n_id serial PRIMARY KEY, n_item int NOT NULL, n_text varchar(200))";
        };
    }
}
