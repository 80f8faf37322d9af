// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.mysql;

import io.multimed.benchmark.ClassificationBenchmark;

/** The classification of statements in MariaDB's and MySQL's SQL, which one reader reads. */
public class MySqlClassificationBenchmark extends ClassificationBenchmark {
    public MySqlClassificationBenchmark() {
        super("mariadb");
    }

    @Override
    protected String ddl() {
        return "CREATE TABLE note_# (n_id int AUTO_INCREMENT PRIMARY KEY, n_item int NOT NULL, n_text varchar(200)) ENGINE=InnoDB";
    }
}
