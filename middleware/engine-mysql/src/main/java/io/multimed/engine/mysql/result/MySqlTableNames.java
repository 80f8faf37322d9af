// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.Views;
import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads which tables a query on MariaDB or MySQL reads, by the names in its text (architecture 4.1). Only the tables
 * and views that satellites have are known. Satellites have no functions of users, so that the text of a view names
 * everything that the view reads.
 */
final class MySqlTableNames {
    private static final MySqlReader READER = new MySqlReader();
    private static final ReadProof PROOF = new ReadProof(READER.readRules(), MySqlReadRules.FIXED_FACTS);

    /** Stands between the columns and the definition of a view. */
    private static final String DEFINITION = ") AS ";

    /** An id that is never added, so that the names of its readers are opaque. */
    private static final long NO_TABLE = Long.MIN_VALUE;

    /**
     * Selects the tables without generated columns and system-versioned rows, and without columns of the type TIME, to
     * which the engine may add the current date.
     */
    private static final String WITHOUT_COMPUTED = """
            SELECT r.id, r.form FROM multimed.relation r JOIN information_schema.tables t
                ON t.table_schema = r.schema_name AND t.table_name = r.table_name AND t.table_type = 'BASE TABLE'
            WHERE NOT EXISTS (SELECT 1 FROM information_schema.columns c
                WHERE c.table_schema = r.schema_name AND c.table_name = r.table_name
                AND (c.data_type = 'time' OR c.extra LIKE '%GENERATED%' AND c.extra <> 'DEFAULT_GENERATED' OR c.extra LIKE '%VIRTUAL%' OR c.generation_expression <> ''))""";

    /** Selects the columns whose values are captured as decimal digits without leading zeros. */
    private static final String INTEGERS = """
            SELECT r.id, c.column_name FROM multimed.relation r JOIN information_schema.columns c
                ON c.table_schema = r.schema_name AND c.table_name = r.table_name
            WHERE c.data_type IN ('tinyint', 'smallint', 'mediumint', 'int', 'bigint') AND c.column_type NOT LIKE '%zerofill%'""";

    private MySqlTableNames() {}

    static TableNames read(Connection master) throws SQLException {
        TableNames.Builder names = new TableNames.Builder();
        String schema =
                Queries.texts(master, "SELECT database_name FROM multimed.base").get(0);
        Queries.list(
                master,
                "SELECT id, schema_name, table_name FROM multimed.relation",
                row -> names.table(row.getLong(1), row.getString(2), row.getString(3)));
        Map<Long, Set<String>> integers = integers(master);
        Queries.list(
                master,
                WITHOUT_COMPUTED,
                row -> columns(
                        names,
                        TableForm.decode(row.getLong(1), row.getBytes(2)),
                        integers.getOrDefault(row.getLong(1), Set.of())));
        List<Views.View> views = Views.told(master);
        for (int i = 0; i < views.size(); i++) {
            names.view(number(i), schema, views.get(i).name());
            if (isOfRows(views.get(i).sql())) {
                names.computedFromRows(number(i));
            }
        }
        for (int i = 0; i < views.size(); i++) { // a view may read views that follow it
            Views.View view = views.get(i);
            @Nullable Set<String> named = TableNames.in(READER.read(view.sql()).tokens());
            if (named == null) {
                names.reads(number(i), NO_TABLE);
            } else {
                names.readsNamed(number(i), named);
            }
        }
        return names.build();
    }

    /**
     * Returns whether the rows of a view depend on nothing but rows. The definition stands behind the columns; if a
     * column has a name that looks like the beginning of the definition, the answer is no.
     */
    private static boolean isOfRows(String creation) {
        int definition = creation.indexOf(DEFINITION);
        return definition >= 0
                && definition == creation.lastIndexOf(DEFINITION)
                && READER.classify(READER.read(creation.substring(definition + DEFINITION.length())), () -> PROOF)
                                .footprint()
                        != null;
    }

    private static Map<Long, Set<String>> integers(Connection master) throws SQLException {
        Map<Long, Set<String>> integers = new HashMap<>();
        Queries.list(
                master,
                INTEGERS,
                row -> integers.computeIfAbsent(row.getLong(1), unused -> new HashSet<>())
                        .add(row.getString(2)));
        return integers;
    }

    /** The equality of texts is that of their characters for no column: collations ignore case or blanks at the end. */
    private static TableNames.Builder columns(TableNames.Builder names, TableForm form, Set<String> integers) {
        return names.columns(
                form.id(),
                form.columns().stream()
                        .map(each -> new TableNames.Column(
                                each.name(),
                                integers.contains(each.name())
                                        ? TableNames.Exactness.INTEGER
                                        : TableNames.Exactness.NONE))
                        .toList());
    }

    /** Returns a number for a view; those of tables are positive. */
    private static long number(int view) {
        return -1L - view;
    }
}
