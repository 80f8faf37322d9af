// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The classification of a statement, from which the dispatcher chooses a plan (architecture 2, 4.1). Immutable.
 *
 * @param tables the tables that a read or query names, in lower case; empty for all others
 * @param names all names in the text of a pure read, as in {@link TableNames#in}; null if they are unknown
 * @param footprint what the result of a pure read depends on; null if it depends on more than rows, or is unknown
 * @param refusal the reason of a refusal, for the application's developer: for {@link Kind#REFUSED}, for {@link
 *     Kind#SAME_SESSION} without a session, and for statements that cannot run in a transaction, within one; or the
 *     engine's message about a statement that is outside of a transaction and belongs into one, or the reverse
 * @param review when the engine's session is examined afterwards for state that the statement may have left there or
 *     removed
 * @param settings the session settings that the statement may change, if only their names in the text show them; if the
 *     session is not examined, those that code may change which the statement defines
 * @param traits further properties
 * @param schemaChange the change of the schema according to the text, for engines that do not report changes
 *     themselves; null for all others
 * @param modes the transaction modes that the statement contains
 * @param hints what a comment in the text asks for
 * @param why the part of the text that decided, for display; empty if the kind is sufficient
 */
public record Classification(
        Kind kind,
        Set<String> tables,
        @Nullable Set<String> names,
        @Nullable ReadFootprint footprint,
        String refusal,
        Review review,
        Set<String> settings,
        Set<Trait> traits,
        @Nullable SchemaChange schemaChange,
        TransactionModes modes,
        RoutingHints hints,
        String why) {
    /** Stands for a setting whose name is not in the statement's text. */
    public static final String ANY_SETTING = "*";

    /** Kinds of statements, by the way in which they run. */
    public enum Kind {
        /** The statement is proved to change nothing, and to return the same result on every node. */
        PURE_READ,
        /**
         * A query that changes nothing, but returns different results on each node (random numbers, clocks): a read
         * only if the application declares it as one.
         */
        QUERY,
        /** A query that reads the engine's catalog. */
        CATALOG,
        /** A query that may have any effect, because it calls unknown functions. */
        EFFECT,
        /** Any other statement that belongs in a transaction on the master. */
        MASTER,
        /** The engine runs the statement outside of transactions only. */
        NON_TRANSACTIONAL,
        /** Every node runs the statement itself, at its position in the commit order: ANALYZE. */
        EVERYWHERE,
        BEGIN,
        COMMIT,
        ROLLBACK,
        /** The statement determines the modes of the client's next transaction. */
        NEXT_TRANSACTION,
        /** The statement determines the modes of all following transactions of the client. */
        ALL_TRANSACTIONS,
        /** From now on each statement outside of a transaction begins one. */
        AUTOCOMMIT_OFF,
        /** Commits the open transaction; from now on each statement is a separate transaction. */
        AUTOCOMMIT_ON,
        /**
         * The statement creates state in the engine's session: the client keeps its connection as long as the state
         * exists.
         */
        SESSION_STATE,
        /**
         * The statement uses state that an earlier statement has left in the engine's session: it requires a connection
         * that belongs to the client.
         */
        SAME_SESSION,
        /** The statement removes all state of the client from the engine's session. */
        DISCARD_ALL,
        /** The statement would remove state that does not belong to the client: it succeeds without effect. */
        NOTHING,
        /** A query that Multimed itself answers. */
        SHOW_STATUS,
        /** Multimed explains where another statement would run. */
        EXPLAIN_ROUTE,
        /** A command to Multimed itself. */
        ADMINISTER,
        REFUSED;

        /**
         * Returns whether the dispatcher executes the statement itself: it controls transactions, and answers for
         * Multimed.
         */
        public boolean isDispatchers() {
            return switch (this) {
                case BEGIN,
                        COMMIT,
                        ROLLBACK,
                        NEXT_TRANSACTION,
                        ALL_TRANSACTIONS,
                        AUTOCOMMIT_OFF,
                        AUTOCOMMIT_ON,
                        DISCARD_ALL,
                        NOTHING,
                        SHOW_STATUS,
                        EXPLAIN_ROUTE,
                        ADMINISTER -> true;
                default -> false;
            };
        }
    }

    /** Further properties of a statement. */
    public enum Trait {
        /** By the engine's rules the statement first commits the open transaction. */
        COMMITS_BEFORE,
        /** The statement passes a text to the engine that is to be executed: the text must be classified first. */
        PREPARES,
        /**
         * The statement requests the key that the client's last insert generated, which the engine's session remembers.
         */
        ASKS_LAST_KEY,
        /** The statement requests the last value of any sequence; the seal of a commit takes one, too. */
        ASKS_LAST_VALUE,
        /** The statement resets all settings of the engine's session, including those of Multimed. */
        RESETS_SETTINGS,
        /** The statement may run users' functions, whose declaration that they change nothing may be wrong. */
        MAY_RUN_USER_FUNCTIONS,
        /** The statement may run users' functions that change the engine's session, regardless of their declaration. */
        MAY_CHANGE_SESSION,
        /**
         * The tokens of the text are correct under the engine's default quoting rules only: the session must have
         * these.
         */
        DEFAULT_QUOTING,
        /** The statement may change how the engine parses later statements. */
        MAY_SET,
        /** The statement may change the schema inside of its transaction. */
        MAY_CHANGE_SCHEMA,
        /** The statement, or its commit, may change the settings with which the engine's sessions begin. */
        CHANGES_DEFAULTS,
        /** The text contains no statement: it begins no transaction. */
        EMPTY,
        /** The statement may share a transaction with other clients: see {@link SchemaFacts#shareableTables}. */
        SHAREABLE,
        /** A query that locks the rows which it reads, and does nothing else. */
        LOCKS_ROWS,
        /** A statement that only concerns rows may take values of sequences, which the engine's session remembers. */
        TAKES_SEQUENCE_VALUES,
        /** A change of rows that may run code which handles errors: see {@link SchemaFacts#hasErrorHandlers}. */
        MAY_HANDLE_ERRORS,
        /**
         * The statement may leave work to the engine that is done at the commit, and that may wait for other
         * transactions or take long: deferred constraints and triggers, the rows of cursors.
         */
        MAY_DEFER,
        /** The statement may create, change or drop a trigger, which no WriteSet shows. */
        DEFINES_TRIGGER,
        /** Outside of a transaction the engine refuses the statement, with the refusal as its error. */
        NEEDS_TRANSACTION,
        /** Outside of a transaction the statement has no effect, and the engine warns of that with the refusal. */
        WARNS_OUTSIDE_TRANSACTIONS,
        /** The engine may accept the statement only before the first query of the transaction. */
        PRECEDES_QUERIES,
        /** From the statement on, the engine may refuse changes in the transaction. */
        FORBIDS_CHANGES,
        /**
         * The transaction may give types other names, which the engine's driver remembers: its connection must not
         * serve another client.
         */
        NAMES_TYPES,
        /** The statement may have another result, or effect, in a satellite's session than in the master's. */
        DEPENDS_ON_SESSION,
        /** The statement changes a setting for the open transaction. */
        SETS_LOCALLY,
        /** The statement returns settings of the session, which satellites do not share. */
        SHOWS_SETTINGS,
        /** A query on the catalog that also reads rows of tables, which must be those of the transaction's snapshot. */
        READS_ROWS,
        /** The text has a hint that does not exist: the refusal is an error of syntax. */
        MALFORMED
    }

    /** Determines when the engine's session is examined for state. */
    public enum Review {
        NEVER,
        /** After the statement, if the client is pinned: the statement may remove state. */
        IF_PINNED,
        /** Always: the statement may create state. */
        ALWAYS
    }

    public static Classification of(Kind kind) {
        return of(kind, Review.NEVER);
    }

    public static Classification of(Kind kind, Review review) {
        return plain(kind, Set.of(), "").with(review);
    }

    /** Returns a classification without further properties. */
    private static Classification plain(Kind kind, Set<String> tables, String refusal) {
        return plain(kind, tables, null, null, refusal, Review.NEVER, Set.of());
    }

    private static Classification plain(
            Kind kind,
            Set<String> tables,
            @Nullable Set<String> names,
            @Nullable ReadFootprint footprint,
            String refusal,
            Review review,
            Set<String> settings) {
        return new Classification(
                kind,
                tables,
                names,
                footprint,
                refusal,
                review,
                settings,
                Set.of(),
                null,
                TransactionModes.NONE,
                RoutingHints.NONE,
                "");
    }

    /** @param setting as in {@link #settings}; empty for none */
    public static Classification sessionState(String setting) {
        return sessionState(setting.isEmpty() ? Set.of() : Set.of(setting));
    }

    /** @param settings as in {@link #settings} */
    public static Classification sessionState(Set<String> settings) {
        return plain(Kind.SESSION_STATE, Set.of(), null, null, "", Review.ALWAYS, Set.copyOf(settings));
    }

    public static Classification read(Set<String> tables) {
        return read(tables, null, null);
    }

    /** Returns the classification of a pure read; {@code names} and {@code footprint} as above. */
    public static Classification read(
            Set<String> tables, @Nullable Set<String> names, @Nullable ReadFootprint footprint) {
        return plain(Kind.PURE_READ, tables, names, footprint, "", Review.NEVER, Set.of());
    }

    /**
     * Returns the classification of a change of one table that may share a transaction with other clients.
     *
     * @param tables the table, and further names by which the engine checks again that the change may share
     */
    public static Classification shareable(Set<String> tables) {
        return plain(Kind.MASTER, tables, "").with(Trait.SHAREABLE);
    }

    public static Classification query(Set<String> tables) {
        return plain(Kind.QUERY, tables, "");
    }

    /**
     * Returns the classification of a statement that uses state of an earlier statement in the same session; {@code
     * why} is the error for a client without a session.
     */
    public static Classification sameSession(String why) {
        return plain(Kind.SAME_SESSION, Set.of(), why);
    }

    public static Classification refused(String why) {
        return plain(Kind.REFUSED, Set.of(), why);
    }

    public Classification with(Trait trait) {
        Set<Trait> more = new HashSet<>(traits);
        more.add(trait);
        return new Classification(
                kind,
                tables,
                names,
                footprint,
                refusal,
                review,
                settings,
                Set.copyOf(more),
                schemaChange,
                modes,
                hints,
                why);
    }

    public Classification with(Review other) {
        return new Classification(
                kind, tables, names, footprint, refusal, other, settings, traits, schemaChange, modes, hints, why);
    }

    public Classification with(SchemaChange change) {
        return new Classification(
                kind, tables, names, footprint, refusal, review, settings, traits, change, modes, hints, why);
    }

    public Classification with(RoutingHints asked) {
        return new Classification(
                kind, tables, names, footprint, refusal, review, settings, traits, schemaChange, modes, asked, why);
    }

    public Classification with(TransactionModes said) {
        return new Classification(
                kind, tables, names, footprint, refusal, review, settings, traits, schemaChange, said, hints, why);
    }

    /** Returns this classification with other session settings that the statement may change. */
    public Classification withSettings(Set<String> others) {
        return new Classification(
                kind,
                tables,
                names,
                footprint,
                refusal,
                review,
                Set.copyOf(others),
                traits,
                schemaChange,
                modes,
                hints,
                why);
    }

    /**
     * Returns the settings that the statement may change by code which statements before it have defined.
     *
     * @param defined the settings that this code may change; those that its text does not show count only if the
     *     statement is known to run code
     */
    public Set<String> settingsAfter(Set<String> defined) {
        Set<String> changed = new HashSet<>(defined);
        if (review == Review.NEVER) {
            changed.remove(ANY_SETTING);
        }
        return changed;
    }

    /** Returns this classification with the engine's error or warning for the case that a transaction is open. */
    public Classification outsideTransactions(String otherwise) {
        return new Classification(
                kind, tables, names, footprint, otherwise, review, settings, traits, schemaChange, modes, hints, why);
    }

    /**
     * Returns this classification with the engine's message for the case that no transaction is open: an error or a
     * warning, according to the trait.
     */
    public Classification inTransactions(Trait trait, String otherwise) {
        return outsideTransactions(otherwise).with(trait);
    }

    /** Returns this classification with the part of the text that decided. */
    public Classification because(String decided) {
        return new Classification(
                kind, tables, names, footprint, refusal, review, settings, traits, schemaChange, modes, hints, decided);
    }

    /** Returns whether another classification requires the same handling. */
    public boolean asks(Classification other) {
        return because("").equals(other.because(""));
    }

    public boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /**
     * Returns the classification of the statement as a part of a batch. A batch returns counts of statements that ran
     * in the engine; statements that the dispatcher executes itself have none, and are refused.
     */
    public Classification inBatch() {
        if (has(Trait.PREPARES)) {
            return refused(
                    "a statement that prepares another is not supported in a batch through Multimed: execute it by itself");
        }
        if (kind.isDispatchers()) {
            return refused("this statement is not supported in a batch through Multimed: execute it by itself");
        }
        return changesNothing()
                ? of(Kind.MASTER)
                : this; // an engine's driver may refuse batches in read-only transactions
    }

    /** Returns whether the statement determines modes of a transaction without beginning one in the engine. */
    public boolean isAboutTransactions() {
        return switch (kind) {
            case BEGIN, NEXT_TRANSACTION, ALL_TRANSACTIONS, AUTOCOMMIT_OFF -> true;
            default -> false;
        };
    }

    /**
     * Returns whether the engine may run the statement as a part of another one, without further examination: it
     * neither begins nor ends a transaction.
     */
    public boolean canBePrepared() {
        return switch (kind) {
            case PURE_READ, QUERY, CATALOG, EFFECT, MASTER, SESSION_STATE, SAME_SESSION -> !has(Trait.PREPARES);
            default -> false;
        };
    }

    /** Returns whether nothing has to be committed after the statement, on any node. */
    public boolean changesNothing() {
        return kind == Kind.PURE_READ || kind == Kind.QUERY || kind == Kind.CATALOG;
    }

    /** Returns whether a transaction that ran the statement can be committed without checking for captured changes. */
    public boolean leavesNothingToCommit() {
        return isPureRead() && !has(Trait.MAY_RUN_USER_FUNCTIONS);
    }

    /** Returns whether the statement runs no code of users, and only reads or changes rows. */
    public boolean concernsRowsOnly() {
        return leavesNothingToCommit()
                || ((has(Trait.SHAREABLE) || has(Trait.LOCKS_ROWS))
                        && review == Review.NEVER
                        && !has(Trait.MAY_CHANGE_SCHEMA)
                        && !has(Trait.MAY_DEFER));
    }

    public boolean isPureRead() {
        return kind == Kind.PURE_READ;
    }
}
