// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.wire.Protocol;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the prepared statements that the middleware remembers for this session, and remembers their columns. If all
 * numbers are in use, the least recently used statement loses its number. A thread holds the guard of the connection
 * from {@link #reference} to the response, because the reference is right only for the next request of the connection.
 */
public final class StatementSlots {
    private final Map<String, Slot> bySql = new LinkedHashMap<>(64, 0.75f, true);

    /** A statement that has a number. */
    private static final class Slot {
        final int number;
        boolean sent;

        @Nullable
        List<Column> columns;

        Slot(int number) {
            this.number = number;
        }
    }

    /**
     * Returns the reference to a prepared statement: its number alone, or together with the SQL if the middleware does
     * not know the number yet.
     */
    public StatementText reference(String sql) {
        Slot slot = bySql.get(sql);
        if (slot == null) {
            slot = new Slot(freeNumber());
            bySql.put(sql, slot);
        }
        StatementText text = new StatementText(slot.number, true, slot.sent ? null : sql);
        slot.sent = true;
        return text;
    }

    /**
     * Returns a number that is not in use; if all are in use, takes the number of the least recently used statement.
     */
    private int freeNumber() {
        if (bySql.size() < Protocol.SLOTS) {
            return bySql.size();
        }
        Iterator<Slot> eldest = bySql.values().iterator();
        int number = eldest.next().number;
        eldest.remove();
        return number;
    }

    /**
     * Sends the SQL again the next time, because an error leaves it uncertain whether the middleware remembers the
     * statement.
     */
    public void invalidate(String sql) {
        Slot slot = bySql.get(sql);
        if (slot != null) {
            slot.sent = false;
            slot.columns = null;
        }
    }

    /**
     * Sends the SQL of all statements again, because the middleware remembers no statement of a new session. The
     * columns of existing results remain.
     */
    void invalidateAll() {
        bySql.values().forEach(slot -> slot.sent = false);
    }

    /**
     * Returns the columns of a result: the columns in its head, or those that the statement had before.
     *
     * @throws SQLException 08P01 if the head refers to columns that were never sent
     */
    public List<Column> columns(String sql, ResultSetHead head) throws SQLException {
        Slot slot = bySql.get(sql);
        if (!head.sameColumns()) {
            if (slot != null) {
                slot.columns = head.columns();
            }
            return head.columns();
        }
        if (slot == null || slot.columns == null) {
            throw new SQLException("the middleware refers to columns that it never sent", SqlStates.PROTOCOL_VIOLATION);
        }
        return slot.columns;
    }
}
