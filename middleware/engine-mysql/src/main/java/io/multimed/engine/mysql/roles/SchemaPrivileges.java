// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.Action;
import io.multimed.engine.sql.SchemaChange.ObjectName;
import io.multimed.engine.sql.Token;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Determines, by the engine's own list of grants, whether an account may have a privilege to change tables and views.
 * Without this check, an account without privileges could make satellites copy a table again by each statement that the
 * engine refuses.
 */
public final class SchemaPrivileges {
    /** Kinds of objects whose changes satellites learn. */
    private static final Set<String> OBJECTS = Set.of("TABLE", "INDEX", "VIEW", "DATABASE");

    /** Privileges for changes of a table that is not the first one in its statement. */
    private static final Set<String> FURTHER = Set.of("ALTER", "CREATE", "DROP");

    private static final String ALL = "ALL PRIVILEGES";

    /** A privilege list, the database or its pattern, and the table; grants on routines are no match. */
    private static final Pattern GRANT = Pattern.compile(
            "GRANT (.+?) ON (?:TABLE )?(\\*|`(?:[^`]|``)+`)\\.(\\*|`(?:[^`]|``)+`) TO .*", Pattern.DOTALL);

    private static final String ANYTHING = "*";

    /** Columns of a privilege. */
    private static final Pattern COLUMNS = Pattern.compile("\\([^)]*\\)");

    private static final int DENIED = 1142;

    private static final MySqlReader READER = new MySqlReader();

    private SchemaPrivileges() {}

    /** @param database a pattern as in LIKE, or {@value #ANYTHING} */
    private record Grant(Set<String> privileges, String database, String table) {
        boolean covers(String schema, String name, Set<String> oneOf) {
            return !Collections.disjoint(privileges, oneOf)
                    && (database.equals(ANYTHING)
                            || like(database).matcher(schema).matches())
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
        if (!OBJECTS.contains(change.object())) {
            return;
        }
        List<Grant> grants;
        String database;
        try (Connection session = Connections.own(access)) {
            grants = Queries.texts(session, "SHOW GRANTS").stream()
                    .map(GRANT::matcher)
                    .filter(Matcher::matches)
                    .map(grant ->
                            new Grant(privileges(grant.group(1)), unquoted(grant.group(2)), unquoted(grant.group(3))))
                    .toList();
            database = String.valueOf(session.getCatalog());
        }
        List<ObjectName> names = change.names();
        if (change.object().equals("DATABASE") || names.isEmpty()) {
            check(grants, names.isEmpty() ? database : names.get(0).name(), ANYTHING, change, 0);
            return;
        }
        for (int i = 0; i < (change.action() == Action.CREATE ? 1 : names.size()); i++) {
            ObjectName name = names.get(i);
            check(grants, name.schema().isEmpty() ? database : name.schema(), name.name(), change, i);
        }
    }

    private static void check(List<Grant> grants, String schema, String name, SchemaChange change, int index)
            throws SQLException {
        Set<String> oneOf = new HashSet<>(required(change, index));
        oneOf.add(ALL);
        if (grants.stream().noneMatch(grant -> grant.covers(schema, name, oneOf))) {
            throw new SQLException(
                    "%s command denied: the user's role has none of the privileges %s on %s"
                            .formatted(change.action(), String.join(", ", required(change, index)), name),
                    "42000",
                    DENIED);
        }
    }

    /**
     * Returns privileges of which the statement requires at least one. The engine may require more.
     *
     * @param index of the name in the statement
     */
    private static Set<String> required(SchemaChange change, int index) {
        List<Token> words = READER.read(change.sql()).tokens(); // without comments
        if (startsWith(words, "OPTIMIZE")) {
            return Set.of("INSERT");
        }
        if (change.object().equals("INDEX")) {
            return Set.of("INDEX", "ALTER");
        }
        return switch (change.action()) {
            case CREATE ->
                startsWith(words, "CREATE", "OR", "REPLACE") ? Set.of("DROP") : Set.of("CREATE", "CREATE VIEW");
            case DROP, TRUNCATE -> Set.of("DROP");
            case ALTER -> change.object().equals("VIEW") ? Set.of("DROP") : index == 0 ? Set.of("ALTER") : FURTHER;
            case RENAME -> index % 2 == 0 ? Set.of("ALTER") : Set.of("CREATE");
        };
    }

    private static boolean startsWith(List<Token> words, String... expected) {
        return words.size() >= expected.length
                && IntStream.range(0, expected.length)
                        .allMatch(i -> words.get(i).is(expected[i]));
    }

    private static Set<String> privileges(String list) {
        return Arrays.stream(COLUMNS.matcher(list).replaceAll("").split(","))
                .map(privilege -> privilege.strip().toUpperCase(Locale.ROOT))
                .collect(Collectors.toSet());
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
