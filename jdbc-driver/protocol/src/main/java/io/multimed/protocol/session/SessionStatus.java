package io.multimed.protocol.session;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * Where a session stands after a request.
 *
 * @param inTransaction whether a transaction is open
 * @param failed whether it can only be rolled back
 * @param pinned whether the engine's session holds state of the client's (SET, temporary tables), which dies with the session
 * @param isolation of all transactions, as SQL has set it: a constant of java.sql.Connection; 0 if it has not
 * @param readOnly whether all transactions may change nothing, as SQL has set it; null if it has not
 * @param node the node that answered, counted as in {@link io.multimed.protocol.Welcome#nodes()}; -1 if none did
 * @param route why that node
 * @param scn the SCN that the answer is at least as fresh as, or that the commit got; 0 if unknown
 */
public record SessionStatus(
        boolean inTransaction,
        boolean failed,
        boolean pinned,
        int isolation,
        @Nullable Boolean readOnly,
        int node,
        Route route,
        long scn) {
    public static final int NO_NODE = -1;

    /** The status of a session without a transaction that no node has answered. */
    public static final SessionStatus NONE = new SessionStatus(false, false, NO_NODE, 0);

    /** The constants are single bits, the largest one 8. */
    private static final int ISOLATION = 3;

    private static final int READ_ONLY = 7;

    /** Of a session that holds no state in an engine. */
    public SessionStatus(boolean inTransaction, boolean failed, int node, long scn) {
        this(inTransaction, failed, false, 0, null, node, Route.NONE, scn);
    }

    public void write(WireWriter out) {
        int said = readOnly == null ? 0 : readOnly ? 1 : 2;
        out.writeVarint((inTransaction ? 1 : 0)
                | (failed ? 2 : 0)
                | (pinned ? 4 : 0)
                | isolation << ISOLATION
                | said << READ_ONLY);
        out.writeVarint(node + 1);
        route.write(out);
        out.writeLong(scn);
    }

    public static SessionStatus read(WireReader in) {
        int flags = in.readVarint();
        int said = flags >> READ_ONLY;
        return new SessionStatus(
                (flags & 1) != 0,
                (flags & 2) != 0,
                (flags & 4) != 0,
                (flags >> ISOLATION) & 0b1111,
                said == 0 ? null : (Boolean) (said == 1),
                in.readVarint() - 1,
                Route.read(in),
                in.readLong());
    }
}
