package io.multimed.protocol;

/**
 * Where a session stands after a request.
 *
 * @param inTransaction whether a transaction is open
 * @param failed whether it can only be rolled back
 * @param pinned whether the engine's session holds state of the client's (SET, temporary tables), which dies with the session
 * @param isolation of all transactions, as SQL has set it: a constant of java.sql.Connection; 0 if it has not
 * @param node the node that answered, counted as in {@link Welcome#nodes()}; -1 if none did
 * @param route why that node
 * @param scn the SCN that the answer is at least as fresh as, or that the commit got; 0 if unknown
 */
public record SessionStatus(
        boolean inTransaction, boolean failed, boolean pinned, int isolation, int node, Route route, long scn) {
    public static final int NO_NODE = -1;

    /** The constants are single bits, the largest one 8. */
    private static final int ISOLATION = 3;

    /** Of a session that holds no state in an engine. */
    public SessionStatus(boolean inTransaction, boolean failed, int node, long scn) {
        this(inTransaction, failed, false, 0, node, Route.NONE, scn);
    }

    void write(WireWriter out) {
        out.writeByte((inTransaction ? 1 : 0) | (failed ? 2 : 0) | (pinned ? 4 : 0) | isolation << ISOLATION);
        out.writeVarint(node + 1);
        route.write(out);
        out.writeLong(scn);
    }

    static SessionStatus read(WireReader in) {
        int flags = in.readByte();
        return new SessionStatus(
                (flags & 1) != 0,
                (flags & 2) != 0,
                (flags & 4) != 0,
                (flags >> ISOLATION) & 0b1111,
                in.readVarint() - 1,
                Route.read(in),
                in.readLong());
    }
}
