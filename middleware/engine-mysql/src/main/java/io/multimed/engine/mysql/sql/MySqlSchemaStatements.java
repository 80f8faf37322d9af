// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.Action;
import io.multimed.engine.sql.SchemaChange.ObjectName;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Classifies statements before and after which the engine commits: changes of the schema, with the names that they
 * concern, and maintenance that concerns only the master.
 */
final class MySqlSchemaStatements {
    /** First words of schema changes. OPTIMIZE rebuilds the table with the same rows. */
    private static final Map<String, Action> ACTIONS = Map.of(
            "CREATE", Action.CREATE,
            "ALTER", Action.ALTER,
            "DROP", Action.DROP,
            "RENAME", Action.RENAME,
            "TRUNCATE", Action.TRUNCATE,
            "OPTIMIZE", Action.ALTER);

    /** First words of statements that concern only the master. */
    private static final Set<String> UPKEEP = Set.of(
            "REPAIR",
            "CHECK",
            "CACHE",
            "FLUSH",
            "RESET",
            "PURGE",
            "STOP",
            "CHANGE",
            "GRANT",
            "REVOKE",
            "INSTALL",
            "UNINSTALL");

    /** Words for kinds of objects in the database; the first such word in a statement counts. */
    private static final Set<String> OBJECTS = Set.of(
            "TABLE", "VIEW", "INDEX", "DATABASE", "TRIGGER", "PROCEDURE", "FUNCTION", "PACKAGE", "EVENT", "SEQUENCE");

    /** Words for objects outside of databases, of which satellites need no copy. */
    private static final Set<String> SERVER_OBJECTS =
            Set.of("USER", "ROLE", "SERVER", "TABLESPACE", "LOGFILE", "INSTANCE", "RESOURCE", "UNDO", "LIBRARY");

    /** Objects whose definition contains statements. */
    private static final Set<String> BODIED = Set.of("TRIGGER", "PROCEDURE", "FUNCTION", "PACKAGE", "EVENT");

    /** Words after which TABLE introduces the name of another table in ALTER TABLE. */
    private static final Set<String> BEFORE_TABLE = Set.of("WITH", "CONVERT", "TO");

    /** Words between the kind of object and its name. */
    private static final Set<String> NOISE = Set.of("IF", "NOT", "EXISTS");

    private MySqlSchemaStatements() {}

    /** Returns the classification; null if the statement is none of these. */
    static @Nullable Classification of(SqlText statement) {
        String first = statement.word(0);
        Action action = ACTIONS.get(first);
        if (action == null) {
            return isUpkeep(statement, first) ? ImplicitCommits.committing() : null;
        }
        String object = action == Action.TRUNCATE ? "TABLE" : object(statement);
        return object.isEmpty()
                ? ImplicitCommits.committing()
                : ImplicitCommits.committing().with(change(statement, action, object));
    }

    /**
     * Returns whether the statement is maintenance. ANALYZE without a table is MariaDB's form of EXPLAIN, which runs a
     * statement.
     */
    private static boolean isUpkeep(SqlText statement, String first) {
        return switch (first) {
            case "ANALYZE" -> statement.has("TABLE") || statement.has("TABLES");
            case "LOAD" -> statement.isAt(1, "INDEX");
            default -> UPKEEP.contains(first);
        };
    }

    /**
     * Returns the kind of object that the statement concerns, in the singular; empty if satellites need not know of
     * it.
     */
    static String object(SqlText statement) {
        for (int i = 1; i < statement.tokens().size(); i++) {
            String word = singular(statement.word(i));
            if (statement.tokens().get(i).kind() == Token.Kind.WORD
                    && !Set.of("@", "=").contains(statement.word(i - 1))) {
                if (OBJECTS.contains(word)) {
                    return word;
                }
                if (SERVER_OBJECTS.contains(word)) {
                    return "";
                }
            }
        }
        return "";
    }

    /** Returns whether the statement defines an object that contains statements, and thus semicolons. */
    static boolean hasBody(SqlText statement) {
        return (statement.isAt(0, "CREATE") || statement.isAt(0, "ALTER")) && BODIED.contains(object(statement));
    }

    private static String singular(String word) {
        return switch (word) {
            case "TABLES" -> "TABLE";
            case "SCHEMA" -> "DATABASE";
            default -> word;
        };
    }

    /**
     * Returns the change with the tables or views that it concerns: for an index or a new trigger, the table after ON.
     */
    private static SchemaChange change(SqlText statement, Action action, String object) {
        Names names = new Names(statement);
        boolean ofTable = object.equals("INDEX") || (object.equals("TRIGGER") && action == Action.CREATE);
        if (ofTable) {
            names.behind("ON");
        } else {
            names.behind(object);
        }
        List<ObjectName> found = names.read();
        boolean rows = action == Action.CREATE && object.equals("TABLE") && statement.has("SELECT");
        return new SchemaChange(statement.text(), action, object, List.copyOf(found), rows);
    }

    /**
     * Reads the names of a statement, including those after RENAME, TO, LIKE and WITH TABLE. Unknown clauses are
     * skipped.
     */
    private static final class Names {
        private final SqlText statement;
        private final List<ObjectName> found = new ArrayList<>();
        private int at = 1;

        Names(SqlText statement) {
            this.statement = statement;
        }

        /** Moves behind the word. Without this word, stays at the second token (TRUNCATE t). */
        void behind(String word) {
            for (int i = 1; i < statement.tokens().size(); i++) {
                if (statement.tokens().get(i).kind() == Token.Kind.WORD
                        && singular(statement.word(i)).equals(word)) {
                    at = i + 1;
                    return;
                }
            }
        }

        /**
         * DROP, RENAME and the like accept lists of names; CREATE and ALTER concern one object, and others by some
         * clauses.
         */
        List<ObjectName> read() {
            boolean list = !statement.isAt(0, "ALTER") && !statement.isAt(0, "CREATE");
            name();
            passWait();
            while (list && (takes(",") || takes("TO"))) {
                name();
                passWait();
            }
            if (!list) {
                likeness();
                others();
            }
            return found;
        }

        /** Skips the wait of MariaDB's RENAME TABLE a WAIT 5 TO b, or NOWAIT. */
        private void passWait() {
            if (takes("WAIT")) {
                at++;
            } else {
                takes("NOWAIT");
            }
        }

        /** Reads CREATE TABLE a LIKE b. */
        private void likeness() {
            takes("(");
            if (takes("LIKE")) {
                name();
            }
        }

        /**
         * Reads ALTER TABLE a with RENAME TO b, EXCHANGE PARTITION p WITH TABLE b, CONVERT PARTITION p TO TABLE b, or
         * CONVERT TABLE b TO PARTITION p.
         */
        private void others() {
            for (; at < statement.tokens().size(); at++) {
                if (isRenaming()) {
                    at++;
                    if (!takes("TO") && !takes("AS")) {
                        takes("=");
                    }
                    name();
                } else if (statement.isAt(at, "TABLE")
                        && statement.isAt(0, "ALTER")
                        && BEFORE_TABLE.contains(statement.word(at - 1))) {
                    at++;
                    name();
                }
            }
        }

        /** Returns whether RENAME gives the table another name, not a column, index or constraint. */
        private boolean isRenaming() {
            return statement.isAt(0, "ALTER")
                    && statement.isAt(at, "RENAME")
                    && !Set.of("COLUMN", "INDEX", "KEY", "CONSTRAINT").contains(statement.word(at + 1));
        }

        /** Moves behind the word if it is the next one; returns whether it was. */
        private boolean takes(String sign) {
            boolean there = statement.word(at).equals(sign);
            at += there ? 1 : 0;
            return there;
        }

        /** Reads a name, which may be qualified. */
        private void name() {
            while (NOISE.contains(statement.word(at))) {
                at++;
            }
            String first = part();
            boolean qualified = statement.word(at).equals(".");
            if (qualified) {
                at++;
            }
            if (!first.isEmpty()) {
                found.add(qualified ? new ObjectName(first, part()) : new ObjectName("", first));
            }
        }

        /** Reads a part of a name; returns an empty text if the next token cannot be one. */
        private String part() {
            if (at >= statement.tokens().size()) {
                return "";
            }
            Token token = statement.tokens().get(at);
            if (token.kind() != Token.Kind.WORD && token.kind() != Token.Kind.QUOTED_NAME) {
                return "";
            }
            at++;
            String text = statement.text(token);
            return token.kind() == Token.Kind.WORD ? text : MySqlReadRules.withoutQuotes(text);
        }
    }
}
