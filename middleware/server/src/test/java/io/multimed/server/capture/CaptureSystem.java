// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.ModelException;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts a master and two satellites of one engine, runs the scenarios from the files of the engine by their names, and
 * compares the nodes. A table {@code series} holds the numbers from 1 to 1000.
 */
final class CaptureSystem implements AutoCloseable {
    private static final int NUMBERS = 1000;

    private final TestCluster cluster;
    private final Copies copies;
    private final List<EngineSql> files = new ArrayList<>();

    private CaptureSystem(String engine, String... files) throws SQLException, IOException, ModelException {
        cluster = TestCluster.withSatellites(engine, 2).awaitOnline();
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
        for (String file : files) {
            this.files.add(EngineSql.of(engine, file));
        }
    }

    /** Starts the engines and the middleware. */
    static CaptureSystem of(String engine, String... files) throws SQLException, IOException, ModelException {
        CaptureSystem system = new CaptureSystem(engine, files);
        system.run("CREATE TABLE series (i INT PRIMARY KEY)");
        List<Object[]> numbers = new ArrayList<>();
        for (int i = 1; i <= NUMBERS; i++) {
            numbers.add(new Object[] {i});
        }
        system.insert("INSERT INTO series VALUES (?)", numbers);
        return system;
    }

    TestCluster cluster() {
        return cluster;
    }

    Copies copies() {
        return copies;
    }

    interface Transaction {
        void run(Connection connection) throws SQLException;
    }

    /** Returns the statements of the engine for a scenario. */
    EngineSql.Section section(String name) {
        return files.stream()
                .filter(file -> file.sections().contains(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no file says anything of " + name))
                .section(name);
    }

    /** Runs the statements of the engine for a scenario. */
    void play(String name) throws SQLException {
        try (Connection connection = cluster.connect()) {
            section(name).run(connection);
        }
    }

    /** See {@link Copies#assertSame}. */
    void assertSame() throws SQLException {
        copies.assertSame();
    }

    /** Runs each statement in a separate transaction. */
    void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    void inTransaction(Transaction transaction) throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            transaction.run(connection);
            connection.commit();
        }
    }

    void inTransaction(String... statements) throws SQLException {
        inTransaction(connection -> Sql.run(connection, statements));
    }

    /** Inserts the rows as one batch in one transaction. */
    void insert(String sql, List<Object[]> rows) throws SQLException {
        inTransaction(connection -> {
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                for (Object[] row : rows) {
                    for (int i = 0; i < row.length; i++) {
                        insert.setObject(i + 1, row[i]);
                    }
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(rows.size());
            }
        });
    }

    /** Returns the first value of a query on a satellite that has applied all changes. */
    String onSatellite(String query) throws SQLException {
        cluster.awaitApplied();
        try (Connection copy = cluster.direct("satellite-1")) {
            return String.valueOf(Sql.text(copy, query));
        }
    }

    @Override
    public void close() {
        cluster.close();
    }
}
