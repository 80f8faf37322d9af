package io.multimed.engine.mysql.result;

import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.Views;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads which tables a query on MariaDB or MySQL reads, by the names in its text (architecture 4.1). Only the tables
 * and views that satellites have are known. Satellites have no functions of users, so that the text of a view names
 * everything that the view reads.
 */
final class MySqlTableNames {
    private static final MySqlReader READER = new MySqlReader();

    /** An id that is never added, so that the names of its readers are opaque. */
    private static final long NO_TABLE = Long.MIN_VALUE;

    private MySqlTableNames() {}

    static TableNames read(Connection master) throws SQLException {
        TableNames.Builder names = new TableNames.Builder();
        String schema =
                Queries.texts(master, "SELECT database_name FROM multimed.base").get(0);
        Queries.list(
                master,
                "SELECT id, schema_name, table_name FROM multimed.relation",
                row -> names.table(row.getLong(1), row.getString(2), row.getString(3)));
        List<Views.View> views = Views.told(master);
        for (int i = 0; i < views.size(); i++) {
            names.view(number(i), schema, views.get(i).name());
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

    /** Returns a number for a view; those of tables are positive. */
    private static long number(int view) {
        return -1L - view;
    }
}
