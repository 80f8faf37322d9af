// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.dialect.JoinedReads;
import io.multimed.engine.postgresql.result.PostgresStreaming;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Asks a standby in the message of reads for the position that it has replayed. The engine answers one statement after
 * the other, and takes a snapshot for each: the reads therefore show at least this position.
 */
public final class StandbyStreaming extends PostgresStreaming {
    @Override
    public Scn shown(Connection satellite) throws SQLException {
        try (PreparedStatement question = satellite.prepareStatement(ReplayPosition.QUESTION);
                ResultSet answer = question.executeQuery()) {
            return ReplayPosition.read(answer);
        }
    }

    @Override
    public JoinedReads joinReads(Connection connection, String text, int parameters) throws SQLException {
        return new Positioned(super.joinReads(connection, ReplayPosition.QUESTION + ";\n" + text, parameters));
    }

    /** Reads behind a question, which has no parameters. */
    private static final class Positioned implements JoinedReads {
        private final JoinedReads message;
        private Scn shown = Scn.ZERO;

        Positioned(JoinedReads message) {
            this.message = message;
        }

        @Override
        public void add(Binding parameters) throws SQLException {
            message.add(parameters);
        }

        @Override
        public void send() throws SQLException {
            message.send();
            try (ResultSet answer = message.next()) {
                shown = ReplayPosition.read(answer);
            }
        }

        @Override
        public Scn shown() {
            return shown;
        }

        @Override
        public ResultSet next() throws SQLException {
            return message.next();
        }

        @Override
        public void finish() throws SQLException {
            message.finish();
        }

        @Override
        public void close() throws SQLException {
            message.close();
        }
    }
}
