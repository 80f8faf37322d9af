package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.writeset.Change;
import io.multimed.middleware.writeset.WriteSet;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * The engine's driver remembers for as long as a connection lives which number a type's name stands for, and statements that it has prepared remember it for their parameters. A type that is
 * dropped and created again under its name has another number: from then on such statements fail on that connection.
 */
final class OutdatedTypes {
    private static final Pattern REASON =
            Pattern.compile("(?s).*\\b(cache lookup failed for type|type with OID) \\d+.*");

    /** What satellites are told to run when types go; a table's own type goes with it, but hardly anybody sends one. */
    private static final Pattern TYPES_GO = Pattern.compile("(?s).*\\bDROP (TYPE|DOMAIN|SCHEMA|EXTENSION) .*");

    private OutdatedTypes() {}

    static boolean isReason(SQLException failure) {
        return PostgresErrors.isServers(failure)
                && REASON.matcher(String.valueOf(failure.getMessage())).matches();
    }

    static boolean mayComeOf(WriteSet writeSet) {
        return (writeSet.spill() != null && writeSet.mayChangeSchema())
                || writeSet.changes().stream()
                        .anyMatch(change -> change instanceof Change.StatementChange statement
                                && TYPES_GO.matcher(statement.sql()).matches());
    }
}
