// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import static java.util.stream.Collectors.joining;

import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.MaterializedView.Maintenance;
import io.multimed.engine.sql.ViewKeys;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A view whose rows are stored. With keys, triggers on the tables collect the keys of changed rows, and a function
 * computes the rows with these keys again; without keys, the function computes all rows.
 *
 * @param tables on which the rows depend, by their qualified names
 * @param refresh the statement that computes rows again
 */
record StoredView(Maintenance maintenance, Set<String> tables, String refresh) {
    /** Delimits the body of a function. */
    private static final String BODY = "$multimed_view$";

    private static final String FUNCTION =
            "CREATE FUNCTION multimed.%s() RETURNS %s LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp%s AS "
                    + BODY + "%s" + BODY;

    /** Settings under which the engine reads whole tables: the applier's own ones prefer indexes. */
    private static final String WHOLE_TABLES =
            " SET enable_seqscan = on SET enable_hashjoin = on SET enable_mergejoin = on";

    /** Creates the objects that store and maintain the rows, and computes the rows. */
    static StoredView create(Statement statement, MaterializedView view, ViewSource source) throws SQLException {
        if (source.definition().contains(BODY)) {
            throw new SQLException("the definition contains " + BODY, "0A000");
        }
        List<ViewKeys.Key> keys = source.keys(statement);
        StoredView stored = new StoredView(
                new Maintenance(view.name(), keys),
                source.tables(),
                "SELECT multimed.%s_refresh()".formatted(view.storage()));
        statement.execute(
                "SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on");
        statement.execute("CREATE UNLOGGED TABLE multimed.%s AS %s".formatted(view.storage(), source.definition()));
        List<String> outputs =
                keys.stream().map(ViewKeys.Key::output).distinct().toList();
        for (int i = 0; i < outputs.size(); i++) {
            String column = Quoting.identifier(outputs.get(i));
            statement.execute("CREATE INDEX ON multimed.%s (%s)".formatted(view.storage(), column));
            statement.execute("CREATE UNLOGGED TABLE multimed.%s AS SELECT %s AS k FROM multimed.%s WHERE false"
                    .formatted(view.keys(i), column, view.storage()));
        }
        for (int i = 0; i < keys.size(); i++) {
            addTriggers(
                    statement, view, keys.get(i), i, outputs.indexOf(keys.get(i).output()));
        }
        statement.execute(FUNCTION.formatted(
                view.storage() + "_refresh",
                "void",
                keys.isEmpty() ? WHOLE_TABLES : "",
                keys.isEmpty() ? wholly(view, source) : byKeys(view, source, outputs)));
        statement.execute(
                "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off");
        statement.execute("ANALYZE multimed." + view.storage());
        tryOut(statement, view, outputs, stored);
        return stored;
    }

    /** Computes rows again once, so that a view that cannot be maintained is refused. */
    private static void tryOut(Statement statement, MaterializedView view, List<String> outputs, StoredView stored)
            throws SQLException {
        for (int i = 0; i < outputs.size(); i++) {
            statement.execute("INSERT INTO multimed.%s (SELECT %s FROM multimed.%s LIMIT 3) UNION ALL SELECT NULL"
                    .formatted(view.keys(i), Quoting.identifier(outputs.get(i)), view.storage()));
        }
        statement.execute(stored.refresh);
    }

    private static void addTriggers(
            Statement statement, MaterializedView view, ViewKeys.Key key, int number, int output) throws SQLException {
        String name = view.storage() + '_' + number;
        String table = Quoting.identifier(key.schema()) + '.' + Quoting.identifier(key.table());
        statement.execute(FUNCTION.formatted(
                name,
                "trigger",
                "",
                "BEGIN INSERT INTO multimed.%s SELECT DISTINCT c.%s FROM changed c; RETURN NULL; END"
                        .formatted(view.keys(output), Quoting.identifier(key.column()))));
        addTrigger(statement, name, "INSERT", "NEW", table);
        addTrigger(statement, name, "UPDATE", "NEW", table);
        addTrigger(statement, name, "UPDATE", "OLD", table);
        addTrigger(statement, name, "DELETE", "OLD", table);
    }

    /** Adds a trigger, which also fires for the applier. */
    private static void addTrigger(Statement statement, String function, String event, String rows, String table)
            throws SQLException {
        String name = "%s_%s_%s".formatted(function, event.charAt(0), rows.charAt(0));
        statement.execute("""
                CREATE TRIGGER %1$s AFTER %2$s ON %3$s REFERENCING %4$s TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION multimed.%5$s();
                ALTER TABLE %3$s ENABLE ALWAYS TRIGGER %1$s""".formatted(Quoting.identifier(name), event, table, rows, function));
    }

    private static String wholly(MaterializedView view, ViewSource source) {
        return "BEGIN DELETE FROM multimed.%1$s; INSERT INTO multimed.%1$s %2$s; END"
                .formatted(view.storage(), source.definition());
    }

    /**
     * Returns the body of the function that computes the rows with changed keys. A row that has changed keys in several
     * output columns is inserted because of the first one.
     */
    private static String byKeys(MaterializedView view, ViewSource source, List<String> outputs) {
        StringBuilder declarations = new StringBuilder("DECLARE");
        StringBuilder body = new StringBuilder("\nBEGIN\n");
        StringBuilder insertions = new StringBuilder();
        List<String> before = new ArrayList<>();
        for (int i = 0; i < outputs.size(); i++) {
            String column = Quoting.identifier(outputs.get(i));
            declarations.append(" keys_%1$d %2$s[]; null_%1$d boolean;"
                    .formatted(i, source.columns().get(outputs.get(i))));
            body.append("""
                     SELECT array_agg(DISTINCT k) FILTER (WHERE k IS NOT NULL), coalesce(bool_or(k IS NULL), false) INTO keys_%1$d, null_%1$d FROM multimed.%2$s;
                     DELETE FROM multimed.%2$s; DELETE FROM multimed.%3$s WHERE %4$s = ANY (keys_%1$d);
                     IF null_%1$d THEN DELETE FROM multimed.%3$s WHERE %4$s IS NULL; END IF;""".formatted(i, view.keys(i), view.storage(), column));
            String others = before.stream()
                    .map(each -> " AND NOT coalesce(" + each + ", false)")
                    .collect(joining());
            insertions.append("""
                     INSERT INTO multimed.%1$s SELECT * FROM (%2$s) AS q WHERE q.%3$s = ANY (keys_%4$d)%5$s;
                     IF null_%4$d THEN INSERT INTO multimed.%1$s SELECT * FROM (%2$s) AS q WHERE q.%3$s IS NULL%5$s; END IF;""".formatted(view.storage(), source.definition(), column, i, others));
            before.add("q.%1$s = ANY (keys_%2$d) OR q.%1$s IS NULL AND null_%2$d".formatted(column, i));
        }
        return declarations.append(body).append(insertions).append("\nEND").toString();
    }

    boolean dependsOn(Set<String> changed) {
        return tables.stream().anyMatch(changed::contains);
    }
}
