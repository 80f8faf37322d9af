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

/** Statements that commit by themselves, before and after: those that change the schema, with the names they concern, and those that are the master's alone. */
final class MySqlSchemaStatements {
    private static final Map<String, Action> ACTIONS = Map.of(
            "CREATE", Action.CREATE,
            "ALTER", Action.ALTER,
            "DROP", Action.DROP,
            "RENAME", Action.RENAME,
            "TRUNCATE", Action.TRUNCATE,
            "OPTIMIZE", Action.ALTER); // the engine makes the table anew, with the same rows

    /** What is the master's alone. */
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

    /** The words that say what is created, changed or dropped; the first one counts. */
    private static final Set<String> OBJECTS = Set.of(
            "TABLE", "VIEW", "INDEX", "DATABASE", "TRIGGER", "PROCEDURE", "FUNCTION", "PACKAGE", "EVENT", "SEQUENCE");

    private static final Set<String> SERVER_OBJECTS =
            Set.of("USER", "ROLE", "SERVER", "TABLESPACE", "LOGFILE", "INSTANCE", "RESOURCE", "UNDO", "LIBRARY");

    private static final Set<String> BODIED = Set.of("TRIGGER", "PROCEDURE", "FUNCTION", "PACKAGE", "EVENT");

    private static final Set<String> BEFORE_TABLE = Set.of("WITH", "CONVERT", "TO");

    private static final Set<String> NOISE = Set.of("IF", "NOT", "EXISTS");

    private MySqlSchemaStatements() {}

    /** Null if it is none of these. */
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

    /** MariaDB's ANALYZE runs a statement and explains it, unless tables are named. */
    private static boolean isUpkeep(SqlText statement, String first) {
        return switch (first) {
            case "ANALYZE" -> statement.has("TABLE") || statement.has("TABLES");
            case "LOAD" -> statement.isAt(1, "INDEX");
            default -> UPKEEP.contains(first);
        };
    }

    /** What the statement is about, in the singular; empty if satellites need not know of it. */
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

    /** Whether it defines what has statements in it. */
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

    /** Reads the names of a statement, and those behind RENAME, TO, LIKE and WITH TABLE. */
    private static final class Names {
        private final SqlText statement;
        private final List<ObjectName> found = new ArrayList<>();
        private int at = 1;

        Names(SqlText statement) {
            this.statement = statement;
        }

        /** Goes behind the word; stays at the second one if it is not there (TRUNCATE t). */
        void behind(String word) {
            for (int i = 1; i < statement.tokens().size(); i++) {
                if (statement.tokens().get(i).kind() == Token.Kind.WORD
                        && singular(statement.word(i)).equals(word)) {
                    at = i + 1;
                    return;
                }
            }
        }

        List<ObjectName> read() {
            boolean list = !statement.isAt(0, "ALTER") && !statement.isAt(0, "CREATE");
            name();
            while (list && (takes(",") || takes("TO"))) {
                name();
            }
            if (!list) {
                likeness();
                others();
            }
            return found;
        }

        /** CREATE TABLE a LIKE b. */
        private void likeness() {
            takes("(");
            if (takes("LIKE")) {
                name();
            }
        }

        /** ALTER TABLE a RENAME TO b, EXCHANGE PARTITION p WITH TABLE b, CONVERT PARTITION p TO TABLE b, CONVERT TABLE b TO PARTITION p. */
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

        private boolean isRenaming() {
            return statement.isAt(0, "ALTER")
                    && statement.isAt(at, "RENAME")
                    && !Set.of("COLUMN", "INDEX", "KEY", "CONSTRAINT").contains(statement.word(at + 1));
        }

        private boolean takes(String sign) {
            boolean there = statement.word(at).equals(sign);
            at += there ? 1 : 0;
            return there;
        }

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
