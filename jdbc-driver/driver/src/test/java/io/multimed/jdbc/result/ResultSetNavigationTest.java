// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.IN_TRANSACTION;
import static io.multimed.jdbc.ScriptedMiddleware.batch;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static io.multimed.jdbc.ScriptedMiddleware.firstBatch;
import static io.multimed.jdbc.ScriptedMiddleware.integer;
import static io.multimed.jdbc.ScriptedMiddleware.rowset;
import static io.multimed.jdbc.ScriptedMiddleware.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Download;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Piece;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.LargeValue;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How result sets move over rows that come at once, or batch by batch. */
@Timeout(20)
class ResultSetNavigationTest {
    private static final List<Column> COLUMNS = List.of(integer("id"), text("Name"));

    private ScriptedMiddleware middleware;
    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL);
        connection = middleware.connect();
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        middleware.close();
    }

    private ResultSet query(int type, Outcome result) throws SQLException {
        middleware.answering(request -> request instanceof Execute ? executed(IDLE, result) : null);
        return connection.createStatement(type, ResultSet.CONCUR_READ_ONLY).executeQuery("SELECT id, name FROM item");
    }

    private ResultSet forward(Object[]... rows) throws SQLException {
        return query(ResultSet.TYPE_FORWARD_ONLY, rowset(COLUMNS, rows));
    }

    private ResultSet scrolling(int rows) throws SQLException {
        Object[][] all = new Object[rows][];
        for (int i = 0; i < rows; i++) {
            all[i] = new Object[] {i + 1, "row " + (i + 1)};
        }
        return query(ResultSet.TYPE_SCROLL_INSENSITIVE, rowset(COLUMNS, all));
    }

    @Test
    void shouldReadRowsInOrderAndRememberNulls() throws SQLException {
        try (ResultSet rows = forward(new Object[] {1, "one"}, new Object[] {null, null})) {
            assertThat(rows.isBeforeFirst()).isTrue();
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(1);
            assertThat(rows.wasNull()).isFalse();
            assertThat(rows.getString("name")).as("labels in any case").isEqualTo("one");
            assertThat(rows.getRow()).isEqualTo(1);
            assertThat(rows.next()).isTrue();
            assertThat(rows.isLast()).isTrue();
            assertThat(rows.getInt("id")).isZero();
            assertThat(rows.wasNull()).isTrue();
            assertThat(rows.getString(2)).isNull();
            assertThat(rows.next()).isFalse();
            assertThat(rows.isAfterLast()).isTrue();
            assertThat(rows.next()).as("once more after the end").isFalse();
        }
    }

    @Test
    void shouldRefuseToReadWithoutARowOrColumn() throws SQLException {
        ResultSet rows = forward(new Object[] {1, "one"});
        assertThatThrownBy(() -> rows.getInt(1)).hasMessageContaining("perhaps you need to call next");
        rows.next();
        assertThatThrownBy(() -> rows.getInt(3))
                .hasMessage("The column index is out of range: 3, number of columns: 2.");
        assertThatThrownBy(() -> rows.getInt(0)).hasMessageContaining("out of range: 0");
        assertThatThrownBy(() -> rows.getInt("price")).hasMessageContaining("price was not found");
        rows.next();
        assertThatThrownBy(() -> rows.getInt(1)).hasMessageContaining("perhaps you need to call next");
    }

    @Test
    void shouldRefuseToMoveBackInAForwardOnlyResult() throws SQLException {
        ResultSet rows = forward(new Object[] {1, "one"});
        assertThatThrownBy(rows::previous).hasMessageContaining("FORWARD_ONLY");
        assertThatThrownBy(rows::last)
                .hasMessageContaining("FORWARD_ONLY")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("24000");
    }

    @Test
    void shouldMoveToAnyRowOfAScrollableResult() throws SQLException {
        ResultSet rows = scrolling(4);
        assertThat(rows.absolute(3)).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(3);
        assertThat(rows.absolute(-1)).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(4);
        assertThat(rows.relative(-2)).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(2);
        assertThat(rows.previous()).isTrue();
        assertThat(rows.isFirst()).isTrue();
        assertThat(rows.previous()).isFalse();
        assertThat(rows.isBeforeFirst()).isTrue();
        assertThat(rows.absolute(9)).isFalse();
        assertThat(rows.isAfterLast()).isTrue();
        assertThat(rows.last()).isTrue();
        assertThat(rows.getRow()).isEqualTo(4);
        rows.beforeFirst();
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(1);
        rows.afterLast();
        assertThat(rows.getRow()).isZero();
    }

    @Test
    void shouldHaveNoFirstAndLastRowInAnEmptyResult() throws SQLException {
        ResultSet rows = scrolling(0);
        assertThat(rows.first()).isFalse();
        assertThat(rows.last()).isFalse();
        assertThat(rows.isBeforeFirst()).isFalse();
        assertThat(rows.isAfterLast()).isFalse();
    }

    @Test
    void shouldFetchTheNextBatchWhenTheRowsOfABatchAreRead() throws SQLException {
        middleware.answering(request -> request instanceof Execute
                ? executed(IN_TRANSACTION, firstBatch(3, COLUMNS, new Object[] {1, "a"}, new Object[] {2, "b"}))
                : request instanceof Fetch fetch
                        ? fetch.cursor() == 3
                                        && middleware.requests(Fetch.class).size() == 1
                                ? batch(false)
                                : batch(true, new Object[] {3, "c"})
                        : null);
        connection.setAutoCommit(false);
        Statement statement = connection.createStatement();
        statement.setFetchSize(2);
        List<Integer> ids = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery("SELECT id, name FROM item")) {
            rows.next();
            rows.next();
            assertThat(middleware.requests(Fetch.class))
                    .as("fetches before they are needed")
                    .isEmpty();
            ids.add(rows.getInt(1));
            while (rows.next()) {
                ids.add(rows.getInt(1));
            }
        }
        assertThat(ids).containsExactly(2, 3);
        assertThat(middleware.requests(Fetch.class)).hasSize(2).allMatch(fetch -> fetch.maxRows() == 2);
        assertThat(middleware.requests(CloseCursor.class))
                .as("of a result that was read to its end")
                .isEmpty();
        assertThat(middleware.requests(Execute.class).get(0).options().fetchSize())
                .isEqualTo(2);
    }

    @Test
    void shouldCloseTheCursorOfAResultThatIsNotReadToItsEnd() throws SQLException {
        ResultSet rows = query(ResultSet.TYPE_FORWARD_ONLY, firstBatch(3, COLUMNS, new Object[] {1, "a"}));
        rows.next();
        rows.close();
        assertThat(middleware.requests(CloseCursor.class)).containsExactly(new CloseCursor(3));
        assertThatThrownBy(rows::next).hasMessage("This ResultSet is closed.");
        assertThatThrownBy(() -> rows.getInt(1)).hasMessage("This ResultSet is closed.");
    }

    @Test
    void shouldFetchTheRemainingRowsBeforeACommitIfTheApplicationHasNotAskedForStreaming() throws SQLException {
        middleware.answering(request -> request instanceof Execute
                ? executed(IN_TRANSACTION, firstBatch(3, COLUMNS, new Object[] {1, "a"}))
                : request instanceof Fetch ? batch(true, new Object[] {2, "b"}) : null);
        connection.setAutoCommit(false);
        ResultSet rows = connection.createStatement().executeQuery("SELECT id, name FROM item");
        connection.commit();
        List<Class<? extends Request>> order = new ArrayList<>();
        middleware.requests().forEach(request -> order.add(request.getClass()));
        assertThat(order).containsExactly(Execute.class, Fetch.class, Commit.class);
        rows.next();
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(2)).isEqualTo("b");
    }

    @Test
    void shouldReadAHeldResultCompletelyAtOnce() throws SQLException {
        middleware.answering(request -> request instanceof Execute
                ? executed(IN_TRANSACTION, firstBatch(3, COLUMNS, new Object[] {1, "a"}))
                : request instanceof Fetch ? batch(true, new Object[] {2, "b"}) : null);
        Statement holding = connection.createStatement(
                ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.HOLD_CURSORS_OVER_COMMIT);
        holding.setFetchSize(1);
        holding.executeQuery("SELECT id, name FROM item");
        assertThat(middleware.requests(Fetch.class)).hasSize(1);
        assertThat(middleware.requests(Execute.class).get(0).options().fetchSize())
                .isZero();
    }

    @Test
    void shouldAssembleALargeValueFromItsPieces() throws SQLException {
        LargeValue large = new LargeValue(1, true, 6);
        WireWriter data = new WireWriter();
        ValueCodec.write(1, data);
        ValueCodec.write(large, data);
        Outcome result = new Outcome.Rowset(
                new ResultSetHead(0, false, COLUMNS), new Rows(1, true, data.toByteArray(), List.of(large)));
        middleware.answering(request -> request instanceof Execute
                ? executed(IDLE, result)
                : request instanceof Download
                        ? new Piece(
                                middleware.requests(Download.class).size() == 1
                                        ? "grü".getBytes(java.nio.charset.StandardCharsets.UTF_8)
                                        : new byte[] {'n', '!'})
                        : null);
        ResultSet rows = connection.createStatement().executeQuery("SELECT id, name FROM item");
        rows.next();
        assertThat(rows.getString(2)).isEqualTo("grün!");
    }

    @Test
    void shouldReportALargeValueOfAnotherLengthThanAnnounced() {
        LargeValue large = new LargeValue(1, false, 6);
        WireWriter data = new WireWriter();
        ValueCodec.write(large, data);
        Outcome result = new Outcome.Rowset(
                new ResultSetHead(0, false, List.of(text("name"))),
                new Rows(1, true, data.toByteArray(), List.of(large)));
        middleware.answering(request -> request instanceof Execute
                ? executed(IDLE, result)
                : request instanceof Download ? new Piece(new byte[7]) : null);
        assertThatThrownBy(() -> connection.createStatement().executeQuery("SELECT name FROM item"))
                .hasMessage("the middleware sent a large value with another length than announced")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("08P01");
    }

    @Test
    void shouldCutTextsToTheMaximumFieldSize() throws SQLException {
        middleware.answering(request ->
                request instanceof Execute ? executed(IDLE, rowset(COLUMNS, new Object[] {12345, "abcdef"})) : null);
        Statement statement = connection.createStatement();
        statement.setMaxFieldSize(3);
        ResultSet rows = statement.executeQuery("SELECT id, name FROM item");
        rows.next();
        assertThat(rows.getString("name")).isEqualTo("abc");
        assertThat(rows.getString("id")).as("a number is not cut").isEqualTo("12345");
    }
}
