// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.protocol.Resultset;
import io.multimed.engine.dialect.JoinedReads;
import io.multimed.engine.mysql.connection.DriverProtocol;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Sends executions of a read as requests that follow each other, without waiting for the results in between. Each
 * request is the one that the driver would send for the read alone, so that the engine executes what was classified.
 * The engine answers the requests in their order. An error of one closes the connection, because the driver discards
 * the answers behind an error. If the connection compresses requests, each one waits for the preceding result.
 */
final class PipelinedReads implements JoinedReads {
    private static final String NOT_SUPPORTED = "0A000";
    private static final String BROKEN = "08S01";

    private final DriverProtocol protocol;
    private final PreparedStatement statement;

    /** The texts of the executions that were not sent. */
    private final Queue<byte[]> unsent = new ArrayDeque<>();

    /** Number of requests that were sent, and not answered completely. */
    private int unanswered;

    private boolean warned;

    PipelinedReads(Connection connection, String text) throws SQLException {
        this.protocol = new DriverProtocol(connection);
        this.statement = protocol.prepare(text);
    }

    @Override
    public void add(Binding parameters) throws SQLException {
        parameters.bind(statement, 1);
        unsent.add(DriverProtocol.text(statement));
    }

    @Override
    public void send() throws SQLException {
        sendOne();
        if (protocol.canSendBehind()) {
            unanswered += unsent.size();
            protocol.sendBehind(unsent);
            unsent.clear();
        }
    }

    private void sendOne() throws SQLException {
        unanswered++;
        protocol.send(unsent.remove());
    }

    /** Throws an error of class 08 if answers are lost with the error that the engine has sent. */
    @Override
    public ResultSet next() throws SQLException {
        if (unanswered == 0) {
            sendOne();
        }
        try {
            return DriverProtocol.translated(this::read);
        } catch (SQLException e) {
            if (unanswered > 0) {
                abandon();
                throw new SQLException("a read has failed, and the results behind it are lost", BROKEN, e);
            }
            throw e;
        }
    }

    /**
     * Reads one answer. If the engine has sent an error, the driver discards everything behind it that has arrived.
     * After any other error, the place in the answers is lost.
     */
    private ResultSet read() throws SQLException, IOException {
        boolean ended = false;
        Resultset result;
        try {
            protocol.beginAnswer();
            result = protocol.rows(statement);
            ended = true;
        } catch (CJException e) {
            ended = e.getVendorCode() > 0;
            throw e;
        } finally {
            unanswered--;
            if (!ended) {
                abandon();
            }
        }
        warned |= protocol.warnings() > 0;
        if (!result.hasRows() || !(result instanceof ResultSet rows)) {
            throw new SQLException("the engine has sent no rows", NOT_SUPPORTED);
        }
        return rows;
    }

    private void abandon() {
        unanswered = 0;
        protocol.abandon();
    }

    @Override
    public void finish() throws SQLException {
        if (warned || protocol.hasMoreResults()) {
            throw new SQLException("the engine has sent more than the results", NOT_SUPPORTED);
        }
    }

    /** Closes the connection if results remain: the caller has failed to read one of them. */
    @Override
    public void close() throws SQLException {
        try {
            if (unanswered > 0) {
                abandon();
            }
        } finally {
            statement.close();
        }
    }
}
