// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.population;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.tpcw.schema.Scale;
import io.multimed.tpcw.schema.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;

/**
 * Loads the database: creates the tables, inserts rows in batches of 1,000 with a commit for each, and creates indexes.
 * Indexes follow the rows because building an index once is faster than maintaining it. Used by one thread, once; the
 * connection remains the caller's.
 */
public final class Loader {
    private static final int BATCH = 1_000;

    private final Connection connection;
    private final Scale scale;
    private final long seed;
    private final LoadProgress progress;
    // Number of loaded rows, for the progress.
    private long done;

    public Loader(Connection connection, Scale scale, long seed, LoadProgress progress) {
        this.connection = connection;
        this.scale = scale;
        this.seed = seed;
        this.progress = progress;
    }

    /**
     * Returns whether the database contains a load of this scale and seed. Runs may have changed the data since; the
     * properties that runs need are preserved.
     */
    public boolean isLoaded() throws SQLException {
        if (!has("tpcw_load") || !has(Schema.BEST_SELLERS_VIEW)) {
            return false;
        }
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT count(*) FROM tpcw_load WHERE items = ? AND ebs = ? AND seed = ?"); ) {
            query.setInt(1, scale.items());
            query.setInt(2, scale.ebs());
            query.setLong(3, seed);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1) == 1;
            }
        }
    }

    /**
     * Returns whether a table or view exists; asks the metadata, since a failing query would abort an open
     * transaction.
     */
    private boolean has(String name) throws SQLException {
        try (ResultSet tables = connection.getMetaData().getTables(connection.getCatalog(), null, name, null)) {
            return tables.next();
        }
    }

    /**
     * Drops the tables of TPC-W and loads them again. A load that fails leaves its committed batches behind, but no
     * mark, so that {@link #isLoaded} returns false and the next load starts from the beginning. Restores the
     * auto-commit mode after success.
     */
    public void load() throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            loadAll();
        } catch (SQLException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
        connection.setAutoCommit(autoCommit);
    }

    private void rollBack(Exception reason) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private void loadAll() throws SQLException {
        Schema schema = new Schema(connection);
        schema.drop();
        schema.create(scale);
        RowGenerator rows = new RowGenerator(
                scale, seed, LocalDateTime.now(ZoneId.systemDefault()).withNano(0));
        countries();
        table("author", 6, scale.authors(), rows::author);
        table("address", 7, scale.addresses(), rows::address);
        table("customer", 17, scale.customers(), rows::customer);
        table("item", 22, scale.items(), rows::item);
        orders(rows);
        progress.loaded("indexes", 0.97);
        schema.finish();
        markLoaded();
        progress.loaded("done", 1);
    }

    /** Loads the fixed table COUNTRY: name, exchange rate and currency of the 92 countries (clause 4.7). */
    private void countries() throws SQLException {
        try (InputStream in = Objects.requireNonNull(Loader.class.getResourceAsStream("countries.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            List<String[]> countries = lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\\|", -1))
                    .toList();
            table("country", 4, countries.size(), id -> {
                String[] country = countries.get(id - 1);
                return Row.of(id, country[0], new BigDecimal(country[1]), country[2]);
            });
        } catch (IOException e) {
            throw new UncheckedIOException("countries.txt cannot be read", e);
        }
    }

    /**
     * Loads a table whose numbers are 1 to {@code count}.
     *
     * @param columns number of columns of the table
     */
    private void table(String table, int columns, int count, IntFunction<Row> rows) throws SQLException {
        try (PreparedStatement insert = insert(table, columns)) {
            for (int id = 1; id <= count; id++) {
                add(insert, rows.apply(id));
                if (id % BATCH == 0 || id == count) {
                    insert.executeBatch();
                    commit(table, Math.min(BATCH, id));
                }
            }
        }
    }

    /** Loads orders together with their lines and payments, because the generator produces the three together. */
    private void orders(RowGenerator rows) throws SQLException {
        try (PreparedStatement orders = insert("orders", 11);
                PreparedStatement lines = insert("order_line", 6);
                PreparedStatement payments = insert("cc_xacts", 9)) {
            for (int id = 1; id <= scale.orders(); id++) {
                RowGenerator.Order order = rows.order(id);
                add(orders, order.order());
                add(payments, order.payment());
                for (Row line : order.lines()) {
                    add(lines, line);
                }
                if (id % BATCH == 0 || id == scale.orders()) {
                    orders.executeBatch();
                    lines.executeBatch();
                    payments.executeBatch();
                    commit("orders", 5 * BATCH);
                }
            }
        }
    }

    private PreparedStatement insert(String table, int columns) throws SQLException {
        return connection.prepareStatement("INSERT INTO %s VALUES (%s)"
                .formatted(table, String.join(", ", java.util.Collections.nCopies(columns, "?"))));
    }

    private static void add(PreparedStatement insert, Row row) throws SQLException {
        for (int i = 0; i < row.values().size(); i++) {
            insert.setObject(i + 1, row.values().get(i));
        }
        insert.addBatch();
    }

    /** Commits a batch and reports the progress. The rows are 96 % of the progress, the indexes the remainder. */
    private void commit(String table, int rows) throws SQLException {
        connection.commit();
        done += rows;
        long all = scale.authors() + scale.addresses() + scale.customers() + scale.items() + 5L * scale.orders();
        progress.loaded(table, Math.min(0.96, 0.96 * done / all));
    }

    /** Inserts the mark that {@link #isLoaded} looks for, as the last step of the load. */
    private void markLoaded() throws SQLException {
        try (PreparedStatement mark = connection.prepareStatement("INSERT INTO tpcw_load VALUES (?, ?, ?)")) {
            mark.setInt(1, scale.items());
            mark.setInt(2, scale.ebs());
            mark.setLong(3, seed);
            mark.executeUpdate();
        }
        connection.commit();
    }
}
