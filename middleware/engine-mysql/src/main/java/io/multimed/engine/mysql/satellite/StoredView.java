// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.MaterializedView.Maintenance;
import io.multimed.engine.sql.ViewKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A view whose rows are stored. With keys, triggers on the tables collect the keys of changed rows, and statements of
 * the applier compute the rows with these keys again; without keys, they compute all rows.
 *
 * @param tables on which the rows depend
 * @param collation of literals in the view
 * @param refresh the statements that compute rows again
 */
record StoredView(Maintenance maintenance, Set<String> tables, String collation, String refresh) {
    /** Creates the objects that store and maintain the rows, and computes the rows. Each statement commits. */
    static StoredView create(Connection satellite, MaterializedView view, ViewSource source) throws SQLException {
        List<ViewKeys.Key> keys = source.keys(satellite);
        List<String> outputs =
                keys.stream().map(ViewKeys.Key::output).distinct().toList();
        Queries.execute(
                satellite,
                "CREATE TABLE multimed.%s ENGINE = InnoDB AS SELECT * FROM %s"
                        .formatted(view.storage(), Names.table(source.schema(), source.name())));
        for (int i = 0; i < outputs.size(); i++) {
            String column = Names.identifier(outputs.get(i));
            Queries.execute(
                    satellite, "CREATE INDEX multimed_%d ON multimed.%s (%s)".formatted(i, view.storage(), column));
            Queries.execute(
                    satellite,
                    // the keys of a table may be NULL although those of the view's rows are not
                    "CREATE TABLE multimed.%s (KEY (k)) ENGINE = InnoDB AS SELECT s.%s AS k FROM (SELECT 1 AS one) AS x LEFT JOIN multimed.%s AS s ON FALSE LIMIT 0"
                            .formatted(view.keys(i), column, view.storage()));
        }
        for (int i = 0; i < keys.size(); i++) {
            addTriggers(
                    satellite,
                    view,
                    source,
                    keys.get(i),
                    i,
                    outputs.indexOf(keys.get(i).output()));
        }
        StoredView stored = new StoredView(
                new Maintenance(view.name(), keys),
                source.tables(),
                source.collation(),
                String.join("; ", keys.isEmpty() ? wholly(view, source) : byKeys(view, source, outputs)));
        stored.tryOut(satellite, view, outputs);
        return stored;
    }

    /** Computes rows again once, so that a view that cannot be maintained is refused. */
    private void tryOut(Connection satellite, MaterializedView view, List<String> outputs) throws SQLException {
        for (int i = 0; i < outputs.size(); i++) {
            Queries.execute(
                    satellite,
                    "INSERT INTO multimed.%s (SELECT %s FROM multimed.%s LIMIT 3)"
                            .formatted(view.keys(i), Names.identifier(outputs.get(i)), view.storage()));
        }
        ViewText.runTogether(satellite, collation, refresh);
        satellite.commit();
    }

    private static void addTriggers(
            Connection satellite, MaterializedView view, ViewSource source, ViewKeys.Key key, int number, int output)
            throws SQLException {
        String old = "(OLD." + Names.identifier(key.column()) + ')';
        String current = "(NEW." + Names.identifier(key.column()) + ')';
        addTrigger(satellite, view, source, key, number, "INSERT", output, current);
        addTrigger(satellite, view, source, key, number, "UPDATE", output, old + ',' + current);
        addTrigger(satellite, view, source, key, number, "DELETE", output, old);
    }

    private static void addTrigger(
            Connection satellite,
            MaterializedView view,
            ViewSource source,
            ViewKeys.Key key,
            int number,
            String event,
            int output,
            String rows)
            throws SQLException {
        DdlRetry.execute(
                satellite,
                "CREATE TRIGGER %s AFTER %s ON %s FOR EACH ROW INSERT INTO multimed.%s VALUES %s"
                        .formatted(
                                Names.table(
                                        source.schema(), "%s_%d_%c".formatted(view.storage(), number, event.charAt(0))),
                                event,
                                Names.table(source.schema(), key.table()),
                                view.keys(output),
                                rows));
    }

    private static List<String> wholly(MaterializedView view, ViewSource source) {
        return List.of(
                "DELETE FROM multimed." + view.storage(),
                "INSERT INTO multimed.%s %s".formatted(view.storage(), source.definition()));
    }

    /**
     * Returns the statements that compute the rows with changed keys. A row that has changed keys in several output
     * columns is inserted because of the first one.
     */
    private static List<String> byKeys(MaterializedView view, ViewSource source, List<String> outputs) {
        List<String> statements = new ArrayList<>();
        for (int i = 0; i < outputs.size(); i++) {
            statements.add("DELETE s FROM multimed.%s s JOIN (SELECT DISTINCT k FROM multimed.%s) x ON s.%s <=> x.k"
                    .formatted(view.storage(), view.keys(i), Names.identifier(outputs.get(i))));
        }
        String others = "";
        for (int i = 0; i < outputs.size(); i++) {
            String column = '{' + outputs.get(i) + '}';
            String keys = "multimed." + view.keys(i);
            statements.add(insertion(view, source, "%s IN (SELECT k FROM %s)%s".formatted(column, keys, others)));
            statements.add(insertion(
                    view,
                    source,
                    // IS NULL would find '0000-00-00', too
                    "%s <=> NULL AND EXISTS (SELECT 1 FROM %s WHERE k <=> NULL)%s".formatted(column, keys, others)));
            others += " AND NOT EXISTS (SELECT 1 FROM %s WHERE k <=> %s)".formatted(keys, column);
        }
        for (int i = 0; i < outputs.size(); i++) {
            statements.add("DELETE FROM multimed." + view.keys(i));
        }
        return statements;
    }

    private static String insertion(MaterializedView view, ViewSource source, String condition) {
        return "INSERT INTO multimed.%s %s"
                .formatted(
                        view.storage(),
                        ViewKeys.restrict(source.definition(), condition).orElseThrow());
    }

    boolean dependsOn(Set<String> changed) {
        return tables.stream().anyMatch(changed::contains);
    }
}
