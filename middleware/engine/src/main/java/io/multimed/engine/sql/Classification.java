package io.multimed.engine.sql;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the Dispatcher knows of a statement.
 *
 * @param tables the tables that a read or query names, in lower case; empty for all others
 * @param refusal for {@link Kind#REFUSED}, {@link Kind#SAME_SESSION} without a session, and what is not for transactions within one: why, for the application's developer
 * @param review when the engine's session is looked at afterwards for what the statement may have left there or taken away
 * @param setting the setting that it may change for the session, if only its name can tell so; empty otherwise
 * @param traits what else must be minded
 * @param schemaChange what it does to the schema, where the engine does not tell by itself; null for all others
 * @param modes what it says of transactions
 * @param why what of the text decided, for people; empty where the kind says it all
 */
public record Classification(
        Kind kind,
        Set<String> tables,
        String refusal,
        Review review,
        String setting,
        Set<Trait> traits,
        @Nullable SchemaChange schemaChange,
        TransactionModes modes,
        String why) {
    /** Stands for a setting whose name is not in the statement's text. */
    public static final String ANY_SETTING = "*";

    /** How a statement is to be run. */
    public enum Kind {
        /** Proved to change nothing and to answer alike on every node. */
        PURE_READ,
        /** A query that changes nothing, but does not answer alike on every node (random numbers, the clock): a read if the application says so. */
        QUERY,
        /** A query that reads the engine's own catalogue. */
        CATALOGUE,
        /** A query by its form that may do anything, because it calls functions of which nothing is known. */
        EFFECT,
        /** Anything else that belongs in a transaction on the master. */
        MASTER,
        /** The engine runs it outside of transactions only. */
        UNTRANSACTED,
        /** Every node does it for itself, in order: ANALYZE. */
        EVERYWHERE,
        BEGIN,
        COMMIT,
        ROLLBACK,
        /** Says how the client's next transaction is to be. */
        NEXT_TRANSACTION,
        /** Says how all transactions of the client are to be from the next one on. */
        ALL_TRANSACTIONS,
        /** From now on each statement that finds no transaction open begins one. */
        AUTOCOMMIT_OFF,
        /** Commits the open transaction; from now on each statement is a separate transaction. */
        AUTOCOMMIT_ON,
        /** Leaves something behind in the engine's session: the client keeps its connection as long as that is there. */
        SESSION_STATE,
        /** Asks for what an earlier statement of the same connection left in the engine's session: needs a connection that the client has. */
        SAME_SESSION,
        /** Takes everything away that the client has in the engine's session. */
        DISCARD_ALL,
        /** Takes away what is not the client's: it is answered, and nothing is done. */
        NOTHING,
        /** Asks Multimed itself. */
        SHOW_STATUS,
        /** Tells Multimed itself to do something. */
        ADMINISTER,
        REFUSED;

        /** Whether the Dispatcher does it itself: it minds where transactions begin and end, and speaks for Multimed. */
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
                        ADMINISTER -> true;
                default -> false;
            };
        }
    }

    /** What else must be minded of a statement. */
    public enum Trait {
        /** By the engine's rule it commits the transaction that is open when it comes. */
        COMMITS_BEFORE,
        /** The statement passes a text to the engine that is to be executed: the text must be classified first. */
        PREPARES,
        /** It asks for the key that the client's last insert generated, which the engine's session keeps. */
        ASKS_LAST_KEY,
        /** The statement resets all settings of the engine's session, including those of Multimed. */
        RESETS_SETTINGS,
        /** The statement may run users' functions, whose declaration that they change nothing may be wrong. */
        MAY_RUN_USER_FUNCTIONS,
        /** The statement may run users' functions that change the engine's session, regardless of their declaration. */
        MAY_CHANGE_SESSION,
        /** The text has these tokens under the engine's default quoting rules only: the session must have these. */
        DEFAULT_QUOTING,
        /** The statement may change how the engine parses later statements. */
        MAY_SET,
        /** The text contains no statement: it begins no transaction. */
        EMPTY
    }

    /** When the engine's session is to be looked at. */
    public enum Review {
        NEVER,
        /** It may take session state away. */
        IF_PINNED,
        /** It may leave session state there. */
        ALWAYS
    }

    public static Classification of(Kind kind) {
        return of(kind, Review.NEVER);
    }

    public static Classification of(Kind kind, Review review) {
        return new Classification(kind, Set.of(), "", review, "", Set.of(), null, TransactionModes.NONE, "");
    }

    public static Classification sessionState(String setting) {
        return new Classification(
                Kind.SESSION_STATE, Set.of(), "", Review.ALWAYS, setting, Set.of(), null, TransactionModes.NONE, "");
    }

    public static Classification read(Set<String> tables) {
        return new Classification(
                Kind.PURE_READ, tables, "", Review.NEVER, "", Set.of(), null, TransactionModes.NONE, "");
    }

    public static Classification query(Set<String> tables) {
        return new Classification(Kind.QUERY, tables, "", Review.NEVER, "", Set.of(), null, TransactionModes.NONE, "");
    }

    /** Only what an earlier statement left in the same engine session can answer it; {@code why} is for a client that has none. */
    public static Classification sameSession(String why) {
        return new Classification(
                Kind.SAME_SESSION, Set.of(), why, Review.NEVER, "", Set.of(), null, TransactionModes.NONE, "");
    }

    public static Classification refused(String why) {
        return new Classification(
                Kind.REFUSED, Set.of(), why, Review.NEVER, "", Set.of(), null, TransactionModes.NONE, "");
    }

    /** The same, and this must be minded, too. */
    public Classification with(Trait trait) {
        Set<Trait> more = new HashSet<>(traits);
        more.add(trait);
        return new Classification(kind, tables, refusal, review, setting, Set.copyOf(more), schemaChange, modes, why);
    }

    public Classification with(Review other) {
        return new Classification(kind, tables, refusal, other, setting, traits, schemaChange, modes, why);
    }

    public Classification with(SchemaChange change) {
        return new Classification(kind, tables, refusal, review, setting, traits, change, modes, why);
    }

    public Classification with(TransactionModes said) {
        return new Classification(kind, tables, refusal, review, setting, traits, schemaChange, said, why);
    }

    /** The same, with what the engine says of it where a transaction is open. */
    public Classification outsideTransactions(String otherwise) {
        return new Classification(kind, tables, otherwise, review, setting, traits, schemaChange, modes, why);
    }

    /** The same, with what of the text decided. */
    public Classification because(String decided) {
        return new Classification(kind, tables, refusal, review, setting, traits, schemaChange, modes, decided);
    }

    /** Whether another classification requires the same handling. */
    public boolean asks(Classification other) {
        return because("").equals(other.because(""));
    }

    public boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /** A batch answers with counts of what ran in the engine: what the Dispatcher does by itself has none. */
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
                : this; // an engine's driver may refuse batches where nothing may be written
    }

    /** Whether it begins no transaction in the engine, but says how one is to be. */
    public boolean isAboutTransactions() {
        return switch (kind) {
            case BEGIN, NEXT_TRANSACTION, ALL_TRANSACTIONS, AUTOCOMMIT_OFF -> true;
            default -> false;
        };
    }

    /** Whether the engine may run it as part of another statement, without a look at it: it neither begins nor ends a transaction. */
    public boolean canBePrepared() {
        return switch (kind) {
            case PURE_READ, QUERY, CATALOGUE, EFFECT, MASTER, SESSION_STATE, SAME_SESSION -> !has(Trait.PREPARES);
            default -> false;
        };
    }

    /** Whether nothing has to be committed after it, wherever it runs. */
    public boolean changesNothing() {
        return kind == Kind.PURE_READ || kind == Kind.QUERY || kind == Kind.CATALOGUE;
    }

    /** Whether a transaction that ran the statement can be committed without checking for captured changes. */
    public boolean leavesNothingToCommit() {
        return isPureRead() && !has(Trait.MAY_RUN_USER_FUNCTIONS);
    }

    public boolean isPureRead() {
        return kind == Kind.PURE_READ;
    }
}
