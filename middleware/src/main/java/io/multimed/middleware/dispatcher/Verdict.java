package io.multimed.middleware.dispatcher;

import java.util.Set;

/**
 * What the Dispatcher knows of a statement.
 *
 * @param tables the tables that a read or query names, in lower case; empty for all others
 * @param refusal for {@link Kind#REFUSED}: why, for the application's developer
 */
public record Verdict(Kind kind, Set<String> tables, String refusal) {
    /** How a statement is to be run. */
    public enum Kind {
        /** Proved to change nothing and to answer alike on every node. */
        PURE_READ,
        /** A query that changes nothing by its form, but calls functions of which that is not known: a read if the application says so. */
        QUERY,
        /** Anything else that belongs in a transaction on the master. */
        MASTER,
        /** Every node does it for itself, in order: ANALYZE. */
        EVERYWHERE,
        BEGIN,
        COMMIT,
        ROLLBACK,
        /** Leaves something behind in the engine's session: the client keeps its connection from now on. */
        SESSION_STATE,
        /** Asks Multimed itself. */
        SHOW_STATUS,
        /** Tells Multimed itself to do something: see {@link AdministrativeStatement}. */
        ADMINISTER,
        REFUSED
    }

    static Verdict of(Kind kind) {
        return new Verdict(kind, Set.of(), "");
    }

    static Verdict read(Set<String> tables) {
        return new Verdict(Kind.PURE_READ, tables, "");
    }

    static Verdict query(Set<String> tables) {
        return new Verdict(Kind.QUERY, tables, "");
    }

    static Verdict refused(String why) {
        return new Verdict(Kind.REFUSED, Set.of(), why);
    }

    boolean isPureRead() {
        return kind == Kind.PURE_READ;
    }
}
