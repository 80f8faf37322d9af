package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.ResultSetHead;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.wire.Protocol;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which prepared statements the middleware knows by number, the least recently used one giving way; and their columns. Used under the connection's lock. */
public final class StatementSlots {
    private final Map<String, Slot> bySql = new LinkedHashMap<>(64, 0.75f, true);

    /** A remembered statement. */
    private static final class Slot {
        final int number;
        boolean sent;

        @Nullable
        List<Column> columns;

        Slot(int number) {
            this.number = number;
        }
    }

    /** How to name a prepared statement to the middleware. */
    public StatementText text(String sql) {
        Slot slot = bySql.get(sql);
        if (slot == null) {
            slot = new Slot(freeNumber());
            bySql.put(sql, slot);
        }
        StatementText text = new StatementText(slot.number, true, slot.sent ? null : sql);
        slot.sent = true;
        return text;
    }

    private int freeNumber() {
        if (bySql.size() < Protocol.SLOTS) {
            return bySql.size();
        }
        Iterator<Slot> eldest = bySql.values().iterator();
        int number = eldest.next().number;
        eldest.remove();
        return number;
    }

    /** After an error it is not certain what the other side remembers: the SQL is sent again next time. */
    public void doubt(String sql) {
        Slot slot = bySql.get(sql);
        if (slot != null) {
            slot.sent = false;
            slot.columns = null;
        }
    }

    /** Another session remembers nothing; results that are there keep their columns. */
    void forgotten() {
        bySql.values().forEach(slot -> slot.sent = false);
    }

    /** The columns of a result: those that came, or those that the statement had before. */
    public List<Column> columns(String sql, ResultSetHead head) throws SQLException {
        Slot slot = bySql.get(sql);
        if (!head.sameColumns()) {
            if (slot != null) {
                slot.columns = head.columns();
            }
            return head.columns();
        }
        if (slot == null || slot.columns == null) {
            throw new SQLException("the middleware refers to columns that it never sent", SqlStates.PROTOCOL);
        }
        return slot.columns;
    }
}
