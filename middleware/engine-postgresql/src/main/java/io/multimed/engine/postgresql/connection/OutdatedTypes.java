// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * The engine's driver caches the identifier of a type for the life of a connection, and prepared statements keep the
 * identifiers of their parameters' types. A type that is dropped and created again under the same name has another
 * identifier: such statements then fail on that connection.
 */
public final class OutdatedTypes {
    private static final Pattern REASON =
            Pattern.compile("(?s).*\\b(cache lookup failed for type|type with OID) \\d+.*");

    /**
     * Statements that satellites run when types are dropped. A table's row type is dropped with the table, but is
     * rarely used for parameters.
     */
    private static final Pattern TYPES_GO = Pattern.compile("(?s).*\\bDROP (TYPE|DOMAIN|SCHEMA|EXTENSION) .*");

    private OutdatedTypes() {}

    /**
     * Returns whether the server reported an unknown type identifier; the statement may succeed on another connection.
     */
    static boolean isReason(SQLException failure) {
        return PostgresErrorFields.isServers(failure)
                && REASON.matcher(String.valueOf(failure.getMessage())).matches();
    }

    /**
     * Returns whether satellites drop a type when they apply the WriteSet. A spilled WriteSet with DDL counts, because
     * its statements are not in memory.
     */
    public static boolean mayComeOf(WriteSet writeSet) {
        return (writeSet.spill() != null && writeSet.mayChangeSchema())
                || writeSet.changes().stream()
                        .anyMatch(change -> change instanceof Change.StatementChange statement
                                && TYPES_GO.matcher(statement.sql()).matches());
    }
}
