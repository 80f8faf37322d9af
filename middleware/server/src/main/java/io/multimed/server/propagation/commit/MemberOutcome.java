// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;

/**
 * Outcome of one member of a {@link CommitGroup}. Set when the member returns; {@link MasterLog} replaces the outcome
 * of members that must be looked up on the master.
 */
sealed interface MemberOutcome {
    /** Committed, with these changes. */
    record Committed(WriteSet writeSet) implements MemberOutcome {}

    /** Committed, with changes that have not been read from the master yet. */
    record CommittedUnread() implements MemberOutcome {}

    /** Committed without having changed anything. */
    record NothingChanged() implements MemberOutcome {}

    /** Not committed. */
    record Failed(Exception cause) implements MemberOutcome {}

    /** May have committed, and nothing on the master tells it. */
    record Unknown(SQLException cause) implements MemberOutcome {}

    /**
     * May have committed: the connection broke, or the middleware itself failed, possibly after the engine had
     * committed.
     */
    record InDoubt(Exception cause) implements MemberOutcome {}
}
