package io.multimed.engine;

import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Optional;

/** What must be known of an engine's SQL to route it. In doubt every answer leads to the master. */
public interface SqlDialect extends ErrorClassifier {
    /** Reads its texts. */
    SqlReader reader();

    /** Asks the master's catalogue. */
    SchemaFacts schemaFacts(Connection master) throws SQLException;

    /** What comes from the engine's driver. */
    EngineValues values();

    /** What the engine says of itself and of its tables: as its driver has it, if that is right. */
    default DatabaseMetaData catalogue(Connection connection) throws SQLException {
        return connection.getMetaData();
    }

    /** Begins to watch an engine's session, which holds nothing of any client's now. */
    SessionWatch watch(Connection connection) throws SQLException;

    /** Called before a client uses the connection. */
    default void beginUse(Connection connection) throws SQLException {}

    /**
     * Whether the engine has reported that its session has changed since {@link #beginUse}, by whatever means, apart
     * from changes that {@link #watch} has found to be undone: no other client may use the connection then. Sends no
     * request to the engine.
     */
    default boolean isLeftOtherwise(Connection connection) throws SQLException {
        return false;
    }

    /** The engine's name for a time zone of java.util.TimeZone, if the engine's own driver gives its sessions the client's; empty if it leaves them the engine's. */
    default String zone(String javaZone) {
        return "";
    }

    /**
     * Gives an engine's session, which has no transaction open, a time zone.
     *
     * @param zone in the engine's words
     */
    default void setZone(Connection connection, String zone) throws SQLException {
        throw new SQLFeatureNotSupportedException("sessions of this engine keep its time zone", "0A000");
    }

    /** What the engine's session remembers of generated keys; empty if statements ask for it in their own transaction only. */
    Optional<LastKeys> lastKeys();

    /**
     * The text that a statement, which has {@link io.multimed.engine.sql.Classification.Trait#PREPARES}, hands the engine to be run as another one.
     *
     * @param connection in whose session it will run
     */
    default String preparedText(Connection connection, String sql) throws SQLException {
        throw new SQLException("not known on this engine: " + sql, "0A000");
    }

    /**
     * Checks that the session has the engine's default quoting rules for strings and names, by which the text was
     * parsed.
     *
     * @throws SQLException 0A000 if it has others
     */
    void requireUsualQuoting(Connection connection) throws SQLException;

    /**
     * Gives a connection's next transaction an isolation level, without asking the engine if that can be avoided.
     *
     * @param present what the connection has, if the pool looks after that
     */
    default void isolate(Connection connection, int isolation, int present) throws SQLException {
        if (isolation != present) {
            connection.setTransactionIsolation(isolation);
        }
    }

    /** A part of a client's request that uses the engine. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws SQLException;
    }

    /** Runs a statement that resets all settings of the engine's session, and preserves those of Multimed. */
    default <T> T resetting(Connection connection, Step<T> statement) throws SQLException {
        return statement.run();
    }

    /**
     * Called after the end of a transaction in which the middleware recorded a schema change, on a connection that may
     * remain with its client.
     */
    default void schemaTold(Connection connection) throws SQLException {}

    /**
     * Restores the initial values of all settings of an engine's session, except for its time zone. No transaction is
     * open.
     */
    default void resetSession(Connection connection) throws SQLException {}

    /**
     * Whether the transaction that was begun in an engine's session is still open, according to the engine's driver;
     * true if the driver does not know. A hidden statement may have ended it.
     */
    default boolean hasTransaction(Connection connection) throws SQLException {
        return true;
    }

    /**
     * Begins a transaction that ends with its first statement or by a commit, and in which the engine refuses all
     * changes. No transaction is open.
     */
    default void beginRead(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        forbidChanges(connection);
    }

    /** Whether changes may alter the facts on the schema that classification depends on. */
    default boolean mayChangeFacts(WriteSet writeSet) {
        return writeSet.mayChangeSchema();
    }

    /**
     * Whether changes may outdate the schema information that the drivers of connections have cached, in a way that
     * {@link #isOutdatedConnection} detects.
     */
    default boolean outdatesConnections(WriteSet writeSet) {
        return false;
    }

    /** Sets the isolation of the transaction that begins now; where the engine can, of no other one on the same connection. */
    default void isolateOnce(Connection connection, int isolation) throws SQLException {
        isolate(connection, isolation, connection.getTransactionIsolation());
    }

    /**
     * Makes the transaction that begins now on a connection of {@link Engine#readerPool} keep one snapshot. Does nothing
     * by default, for engines whose pools do that for all transactions.
     */
    default void keepSnapshot(Connection connection) throws SQLException {}

    /** Lets the transaction that begins now, and no other on the same connection, change nothing: what does is refused by the engine, in its own words. */
    default void forbidChanges(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION READ ONLY");
        }
    }

    /** Lets the transaction that begins now change what it likes, whatever the client has set for all transactions of a session that it keeps. */
    default void allowChanges(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION READ WRITE");
        }
    }

    /**
     * Lets what the engine commits by itself change nothing on this connection, or change again what it likes: as {@link #forbidChanges}, but until it is allowed again. Only asked
     * of engines where SQL can say so of all transactions: {@link io.multimed.engine.sql.Classification.Kind#ALL_TRANSACTIONS}.
     */
    default void forbidCommitted(Connection connection, boolean forbidden) throws SQLException {}

    /** Asks the engine to give up whatever it runs on a connection, rows that are fetched of an open result included. Called from another thread; blocks. */
    void cancel(Connection connection) throws SQLException;

    /** Whether a result that comes piece by piece must be read to its end, or broken off, before anything else runs on its connection. */
    default boolean streamsOneAtATime() {
        return false;
    }

    /**
     * Breaks off the result that still comes piece by piece on a connection, if there is one, where the engine's driver would otherwise have to read it to its end
     * before anything else. Blocks, but not for the result's length. A connection on which that fails is closed.
     */
    default void endStreaming(Connection connection) {}

    /** The same for a connection that nobody will use again: asks the engine nothing. */
    default void abandonStreaming(Connection connection) {}

    /** The schema of the table that a result's column comes from; empty if it comes of none. */
    String baseSchema(ResultSetMetaData columns, int index) throws SQLException;

    /** The name that a result's column has in its table; empty if it is of none. Asks the engine at most once for all columns. */
    String baseColumn(ResultSetMetaData columns, int index) throws SQLException;
}
