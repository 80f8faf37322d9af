package io.multimed.middleware.node.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.Column;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What comes from an engine's driver, in the classes of the protocol, without loss: the client's driver makes of it again what the engine's own driver gives. Stateless. */
public interface EngineValues {
    /**
     * A value of the row that the result set stands on.
     *
     * @param index of {@code column}, from 1
     */
    @Nullable
    Object read(ResultSet rows, int index, Column column) throws SQLException;

    /** A column of text as UTF-8, without a text between where the engine's driver has the bytes; null if it is NULL. */
    default byte @Nullable [] utf8(ResultSet rows, int index) throws SQLException {
        String text = rows.getString(index);
        return text == null ? null : text.getBytes(UTF_8);
    }

    /** A value that the engine's driver has made an object of by itself, as for OUT parameters, if its class is one of that driver's or of java.sql without a like in the protocol. */
    Object wire(Object value) throws SQLException;
}
