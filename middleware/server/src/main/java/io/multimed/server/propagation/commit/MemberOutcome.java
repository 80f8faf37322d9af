package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.WriteSet;

/** How the commit of one member of a {@link CommitGroup} ended. Set when the member returns; {@link MasterLog} replaces what it finds out on the master. */
sealed interface MemberOutcome {
    /** Committed, with these changes. */
    record Committed(WriteSet writeSet) implements MemberOutcome {}

    /** Committed, with changes that have not been read from the master yet. */
    record CommittedUnread() implements MemberOutcome {}

    /** Committed without having changed anything. */
    record NothingChanged() implements MemberOutcome {}

    /** Not committed. */
    record Failed(Exception cause) implements MemberOutcome {}

    /** Committed or not: the connection broke, or the failure was the middleware's own, maybe after the engine had committed. */
    record InDoubt(Exception cause) implements MemberOutcome {}
}
