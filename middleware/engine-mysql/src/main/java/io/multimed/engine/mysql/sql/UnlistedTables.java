// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Recognizes statements, and bodies of routines, that may create temporary tables of another storage engine than
 * InnoDB. MySQL lists only the temporary tables of InnoDB.
 */
final class UnlistedTables {
    /** The setting of the storage engine of temporary tables for which the statement names none. */
    private static final String DEFAULT_ENGINE = "default_tmp_storage_engine";

    /** Tables in the schema {@code mysql} that have another storage engine. */
    private static final Set<String> LOGS = Set.of("GENERAL_LOG", "SLOW_LOG");

    private UnlistedTables() {}

    /** Returns whether the statement may create such a table, or permit it to later statements. */
    static boolean mayBeCreated(SqlText statement) {
        boolean sets = statement.isAt(0, "SET") || statement.has("TEMPORARY");
        return (sets && namesDefault(statement)) || createsUnlisted(statement);
    }

    /** The same for the body of a routine or a trigger. */
    static boolean mayBeCreatedBy(SqlText body) {
        return namesDefault(body) || createsUnlisted(body);
    }

    private static boolean createsUnlisted(SqlText statement) {
        boolean creates = statement.has("TEMPORARY");
        if (!creates && !statement.isAt(0, "ALTER")) {
            return false;
        }
        List<Token> tokens = statement.tokens();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            int next = tokens.get(i + 1).isSign("=") ? i + 2 : i + 1;
            boolean other = tokens.get(i).is("ENGINE") && !name(statement, next).equals("INNODB");
            boolean copied = creates && tokens.get(i).is("LIKE") && isOfTheServer(statement, i + 1);
            if (other || copied) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a table of the engine's own follows, which may have any storage engine. */
    private static boolean isOfTheServer(SqlText statement, int at) {
        return LOGS.contains(name(statement, at))
                || (statement.isSignAt(at + 1, ".")
                        && new MySqlReadRules().namesCatalog(statement.tokens().subList(at, at + 2)));
    }

    /** Returns whether the text, with its hints, contains the name of the setting. */
    private static boolean namesDefault(SqlText text) {
        return text.whole().toLowerCase(Locale.ROOT).contains(DEFAULT_ENGINE);
    }

    /** Returns a word, a name or a string in upper case, without quotes. */
    private static String name(SqlText statement, int at) {
        return at < statement.tokens().size()
                ? Token.upperCase(statement.text(statement.tokens().get(at))).replaceAll("[`'\"]", "")
                : "";
    }
}
