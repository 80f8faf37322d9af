package io.multimed.engine.mysql.roles;

import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.ObjectName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Determines, by the engine's own list of grants, whether an account may have a privilege to change tables and views.
 * Without this check, an account without privileges could make satellites copy a table again by each statement that the
 * engine refuses.
 */
public final class SchemaPrivileges {
    /** Kinds of objects whose changes concern no table and no view. */
    private static final Set<String> OTHER_OBJECTS = Set.of("PROCEDURE", "FUNCTION", "PACKAGE", "SEQUENCE");

    private static final Set<String> CHANGING =
            Set.of("ALL PRIVILEGES", "ALTER", "CREATE", "CREATE VIEW", "DROP", "INDEX", "INSERT", "TRIGGER");

    /** A privilege list, the database or its pattern, and the table; grants on routines are no match. */
    private static final Pattern GRANT = Pattern.compile(
            "GRANT (.+?) ON (?:TABLE )?(\\*|`(?:[^`]|``)+`)\\.(\\*|`(?:[^`]|``)+`) TO .*", Pattern.DOTALL);

    private static final String ANYTHING = "*";

    /** Columns of a privilege. */
    private static final Pattern COLUMNS = Pattern.compile("\\([^)]*\\)");

    private static final int DENIED = 1142;

    private SchemaPrivileges() {}

    /** @param database a pattern as in LIKE, or {@value #ANYTHING} */
    private record Grant(String database, String table) {
        boolean covers(String schema, String name) {
            return (database.equals(ANYTHING) || like(database).matcher(schema).matches())
                    && (table.equals(ANYTHING) || table.equalsIgnoreCase(name));
        }
    }

    /**
     * Checks all tables and views that the statement names.
     *
     * @param access as the account
     * @throws SQLException with the engine's number of a denied command
     */
    public static void require(NodeAccess access, SchemaChange change) throws SQLException {
        if (OTHER_OBJECTS.contains(change.object())) {
            return;
        }
        List<Grant> grants;
        String database;
        try (Connection session = Connections.own(access)) {
            grants = Queries.texts(session, "SHOW GRANTS").stream()
                    .map(GRANT::matcher)
                    .filter(Matcher::matches)
                    .filter(grant -> isChanging(grant.group(1)))
                    .map(grant -> new Grant(unquoted(grant.group(2)), unquoted(grant.group(3))))
                    .toList();
            database = String.valueOf(session.getCatalog());
        }
        if (change.object().equals("DATABASE") || change.names().isEmpty()) {
            String named =
                    change.names().isEmpty() ? database : change.names().get(0).name();
            check(grants.stream().anyMatch(grant -> grant.covers(named, ANYTHING)), named, change);
            return;
        }
        for (ObjectName name : change.names()) {
            String schema = name.schema().isEmpty() ? database : name.schema();
            check(grants.stream().anyMatch(grant -> grant.covers(schema, name.name())), name.name(), change);
        }
    }

    private static void check(boolean permitted, String name, SchemaChange change) throws SQLException {
        if (!permitted) {
            throw new SQLException(
                    "%s command denied: the user's role has no privilege to change %s".formatted(change.action(), name),
                    "42000",
                    DENIED);
        }
    }

    private static boolean isChanging(String privileges) {
        return Arrays.stream(COLUMNS.matcher(privileges).replaceAll("").split(","))
                .map(privilege -> privilege.strip().toUpperCase(Locale.ROOT))
                .anyMatch(CHANGING::contains);
    }

    private static String unquoted(String name) {
        return name.startsWith("`") ? name.substring(1, name.length() - 1).replace("``", "`") : name;
    }

    private static Pattern like(String pattern) {
        StringBuilder expression = new StringBuilder();
        boolean escaped = false;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (escaped || (c != '\\' && c != '_' && c != '%')) {
                expression.append(Pattern.quote(String.valueOf(c)));
                escaped = false;
            } else if (c == '\\') {
                escaped = true;
            } else {
                expression.append(c == '_' ? "." : ".*");
            }
        }
        return Pattern.compile(expression.toString(), Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }
}
