// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.postgresql;

import io.multimed.benchmark.ClassificationBenchmark;

/** The classification of statements in PostgreSQL's SQL. */
public class PostgresClassificationBenchmark extends ClassificationBenchmark {
    public PostgresClassificationBenchmark() {
        super("postgresql");
    }

    @Override
    protected String ddl() {
        return "CREATE TABLE note_# (n_id serial PRIMARY KEY, n_item int NOT NULL, n_text varchar(200))";
    }
}
