// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.session;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * State of a session after a request.
 *
 * @param inTransaction whether a transaction is open
 * @param begunOnNode whether the end of the transaction must be sent: a node, or SQL, has begun the transaction, SQL
 * has set modes for it, or it has failed; true without a transaction
 * @param failed whether the transaction can only be rolled back
 * @param pinned whether the engine's session holds state of the client (SET, temporary tables), which is lost with the
 * session
 * @param hasModes whether SQL has set modes of the next transaction, which the next commit or rollback ends, or of the
 * open one, by a statement that belongs to the next one
 * @param autoCommitOff whether SQL has switched auto-commit off
 * @param isolation isolation level of all transactions that SQL has set, a constant of java.sql.Connection; 0 if SQL
 * has set none
 * @param readOnly whether SQL has made all transactions read-only; null if SQL has not set this
 * @param node index of the node that ran the request, in {@link io.multimed.protocol.response.Welcome#nodes()}; -1 if
 * no node did
 * @param route reason for the choice of the node
 * @param scn SCN of the commit, or an SCN that the answer includes; 0 if unknown
 */
public record SessionStatus(
        boolean inTransaction,
        boolean begunOnNode,
        boolean failed,
        boolean pinned,
        boolean hasModes,
        boolean autoCommitOff,
        int isolation,
        @Nullable Boolean readOnly,
        int node,
        Route route,
        long scn) {
    public static final int NO_NODE = -1;

    /** Status of a new session: no transaction, no node. */
    public static final SessionStatus NONE = new SessionStatus(false, false, NO_NODE, 0);

    /** Bit positions in the flags. The constants of the isolation levels are single bits up to 8. */
    private static final int ISOLATION = 3;

    private static final int READ_ONLY = 7;

    private static final int NOT_BEGUN = 1 << 9;
    private static final int MODES = 1 << 10;
    private static final int AUTO_COMMIT_OFF = 1 << 11;

    /** Creates the status of a session without state in an engine. */
    public SessionStatus(boolean inTransaction, boolean failed, int node, long scn) {
        this(inTransaction, true, failed, false, false, false, 0, null, node, Route.NONE, scn);
    }

    public void write(WireWriter out) {
        int said = readOnly == null ? 0 : readOnly ? 1 : 2;
        out.writeVarint((inTransaction ? 1 : 0)
                | (failed ? 2 : 0)
                | (pinned ? 4 : 0)
                | isolation << ISOLATION
                | said << READ_ONLY
                | (begunOnNode ? 0 : NOT_BEGUN)
                | (hasModes ? MODES : 0)
                | (autoCommitOff ? AUTO_COMMIT_OFF : 0));
        out.writeVarint(node + 1);
        route.write(out);
        out.writeLong(scn);
    }

    public static SessionStatus read(WireReader in) {
        int flags = in.readVarint();
        int said = (flags >> READ_ONLY) & 0b11;
        return new SessionStatus(
                (flags & 1) != 0,
                (flags & NOT_BEGUN) == 0,
                (flags & 2) != 0,
                (flags & 4) != 0,
                (flags & MODES) != 0,
                (flags & AUTO_COMMIT_OFF) != 0,
                (flags >> ISOLATION) & 0b1111,
                said == 0 ? null : (Boolean) (said == 1),
                in.readVarint() - 1,
                Route.read(in),
                in.readLong());
    }
}
