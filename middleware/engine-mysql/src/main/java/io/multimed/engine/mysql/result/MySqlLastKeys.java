package io.multimed.engine.mysql.result;

import com.mysql.cj.jdbc.StatementImpl;
import io.multimed.engine.dialect.LastKeys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** LAST_INSERT_ID(). */
public final class MySqlLastKeys implements LastKeys {
    /** The engine tells a key with each answer, even one that the statement brought along, which LAST_INSERT_ID() does not. */
    @Override
    public boolean mayHaveChanged(Statement executed) throws SQLException {
        long key = executed.unwrap(StatementImpl.class).getLastInsertID();
        return key != 0 && key != -1;
    }

    @Override
    public String read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT LAST_INSERT_ID()")) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public void restore(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SET last_insert_id = CAST(? AS UNSIGNED)")) {
            statement.setString(1, key);
            statement.execute();
        }
    }
}
