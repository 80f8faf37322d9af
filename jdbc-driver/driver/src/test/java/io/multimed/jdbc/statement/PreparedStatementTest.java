// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static io.multimed.jdbc.ScriptedMiddleware.error;
import static io.multimed.jdbc.ScriptedMiddleware.executed;
import static io.multimed.jdbc.ScriptedMiddleware.integer;
import static io.multimed.jdbc.ScriptedMiddleware.rowset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.ScriptedMiddleware;
import io.multimed.jdbc.engine.DriverBehavior.Comments;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.Upload;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Described;
import io.multimed.protocol.response.Described.ParameterDescription;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.protocol.wire.Protocol;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what a prepared statement sends, and what it refuses. */
@Timeout(20)
class PreparedStatementTest {
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

    private static Described describing(int parameters) {
        ParameterDescription parameter =
                new ParameterDescription(Types.INTEGER, "int4", "java.lang.Integer", 0, 0, 1, 2, true);
        return new Described(IDLE, java.util.Collections.nCopies(parameters, parameter), List.of());
    }

    @Test
    void shouldSendItsSqlOnceAndThenItsNumber() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("DELETE FROM item WHERE id = ?")) {
            statement.setInt(1, 1);
            statement.executeUpdate();
            statement.executeUpdate();
        }
        try (PreparedStatement again = connection.prepareStatement("DELETE FROM item WHERE id = ?")) {
            again.setInt(1, 2);
            again.executeUpdate();
        }
        assertThat(middleware.statements()).containsExactly("DELETE FROM item WHERE id = ?", null, null);
        assertThat(middleware.requests(Execute.class))
                .extracting(sent -> sent.text().slot())
                .containsOnly(0);
        assertThat(middleware.requests(Execute.class).get(2).parameters())
                .containsExactly(new Parameter(Types.INTEGER, 2));
    }

    @Test
    void shouldSendItsSqlAgainAfterAnError() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        middleware.answering(request -> request instanceof Execute && runs.incrementAndGet() == 2
                ? error(IDLE, "0A000", "cached plan must not change result type")
                : null);
        PreparedStatement statement = connection.prepareStatement("DELETE FROM item");
        statement.executeUpdate();
        assertThatThrownBy(statement::executeUpdate).hasMessageContaining("cached plan");
        statement.executeUpdate();
        assertThat(middleware.statements()).containsExactly("DELETE FROM item", null, "DELETE FROM item");
    }

    @Test
    void shouldGiveTheNumberOfTheLeastRecentlyUsedStatementToANewOne() throws SQLException {
        for (int i = 0; i <= Protocol.SLOTS; i++) {
            connection.prepareStatement("SELECT " + i).execute();
            connection.prepareStatement("SELECT 0").execute(); // remains in use
        }
        connection.prepareStatement("SELECT 1").execute();
        List<Execute> sent = middleware.requests(Execute.class);
        Execute newest = sent.get(sent.size() - 3);
        assertThat(newest.text().sql()).isEqualTo("SELECT " + Protocol.SLOTS);
        assertThat(newest.text().slot()).as("the number that SELECT 1 had").isEqualTo(1);
        assertThat(sent.get(sent.size() - 2).text().sql())
                .as("SELECT 0 kept its number")
                .isNull();
        assertThat(sent.get(sent.size() - 1).text().sql())
                .as("SELECT 1 is sent again")
                .isEqualTo("SELECT 1");
    }

    @Test
    void shouldUseTheColumnsOfTheFirstExecutionIfTheyAreNotSentAgain() throws SQLException {
        List<Column> columns = List.of(integer("id"));
        AtomicInteger runs = new AtomicInteger();
        middleware.answering(request -> {
            if (!(request instanceof Execute)) {
                return null;
            }
            Outcome.Rowset whole = rowset(columns, new Object[] {5});
            return executed(
                    IDLE,
                    runs.incrementAndGet() == 1
                            ? whole
                            : new Outcome.Rowset(new ResultSetHead(0, true, List.of()), whole.first()));
        });
        PreparedStatement statement = connection.prepareStatement("SELECT id FROM item");
        for (int i = 0; i < 2; i++) {
            ResultSet rows = statement.executeQuery();
            rows.next();
            assertThat(rows.getInt("id")).isEqualTo(5);
        }
        PreparedStatement other = connection.prepareStatement("SELECT other FROM item");
        assertThatThrownBy(other::executeQuery)
                .hasMessage("the middleware refers to columns that it never sent")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("08P01");
    }

    @Test
    void shouldRefuseAParameterThatHasNoValueOrDoesNotExist() throws SQLException {
        PreparedStatement statement = connection.prepareStatement("UPDATE item SET price = ? WHERE id = ? -- ?");
        statement.setInt(2, 1);
        assertThatThrownBy(statement::execute).hasMessage("No value specified for parameter 1.");
        statement.setInt(3, 1);
        assertThatThrownBy(statement::execute)
                .hasMessage("The column index is out of range: 3, number of columns: 2.")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("22023");
        assertThatThrownBy(() -> statement.setInt(0, 1)).hasMessageContaining("out of range: 0");
        assertThat(middleware.requests(Execute.class)).isEmpty();
        assertThat(middleware.requests(Describe.class)).isEmpty();
    }

    @Test
    void shouldDescribeWithTheTypesOfParametersButWithoutTheirContents() throws SQLException {
        middleware.answering(request -> request instanceof Describe ? describing(5) : null);
        PreparedStatement statement = connection.prepareStatement("SELECT ?, ?, ?, ?, ?");
        statement.setString(1, "secret");
        statement.setBytes(2, new byte[] {1});
        statement.setBinaryStream(3, new java.io.ByteArrayInputStream(new byte[2 * Protocol.PIECE]));
        statement.setNull(5, Types.BIGINT);
        statement.getParameterMetaData();
        List<Parameter> sent = middleware.requests(Describe.class).get(0).parameters();
        assertThat(sent)
                .extracting(Parameter::sqlType)
                .containsExactly(Types.VARCHAR, Types.BINARY, Types.BINARY, Types.NULL, Types.BIGINT);
        assertThat(sent).extracting(Parameter::value).containsExactly("", new byte[0], new byte[0], null, null);
    }

    @Test
    void shouldSendABatchAtOnceAndThenBeEmpty() throws SQLException {
        middleware.answering(request -> request instanceof ExecuteBatch
                ? new BatchExecuted(IDLE, new long[] {1, 3_000_000_000L}, null, List.of())
                : null);
        PreparedStatement statement = connection.prepareStatement("UPDATE item SET price = ?");
        statement.setInt(1, 1);
        statement.addBatch();
        statement.setInt(1, 2);
        statement.addBatch();
        assertThat(statement.executeBatch()).containsExactly(1, java.sql.Statement.SUCCESS_NO_INFO);
        assertThat(statement.executeBatch()).as("the second time").isEmpty();
        assertThat(middleware.requests(ExecuteBatch.class)).hasSize(1);
        assertThat(middleware.requests(ExecuteBatch.class).get(0).rows())
                .containsExactly(List.of(new Parameter(Types.INTEGER, 1)), List.of(new Parameter(Types.INTEGER, 2)));
    }

    @Test
    void shouldSendALargeParameterInPiecesBeforeTheStatement() throws SQLException {
        middleware.answering(request -> request instanceof Upload ? new Done(IDLE) : null);
        PreparedStatement statement = connection.prepareStatement("INSERT INTO item VALUES (?)");
        statement.setBytes(1, new byte[Protocol.PIECE + 10]);
        statement.executeUpdate();
        assertThat(middleware.requests(Upload.class))
                .extracting(upload -> upload.piece().length)
                .containsExactly(Protocol.PIECE, 10);
        assertThat(middleware.requests(Execute.class).get(0).parameters())
                .containsExactly(new Parameter(Types.BINARY, new UploadedValue(1, false)));
    }

    @Test
    void shouldShowItsSqlWithTheValues() throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT '?', \"a?\" -- ?\n FROM item WHERE a ?? ? AND b = ? AND c = $x$?$x$ AND d = ?");
        statement.setString(1, "it's");
        statement.setDate(2, Date.valueOf("2024-01-02"));
        assertThat(statement.toString())
                .startsWith("SELECT '?', \"a?\" -- ?\n FROM item WHERE a ? ('it''s') AND b = ('2024-01-02 ")
                .endsWith(" AND c = $x$?$x$ AND d = ?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NESTED | SELECT /* /* ? */ ? */ ? | SELECT /* /* ? */ ? */ 7",
                "NESTED | /*/*/**/*/*/ SELECT ? | /*/*/**/*/*/ SELECT 7",
                "NESTED | SELECT /*/ ? */ ? | SELECT /*/ ? */ 7",
                "NESTED | SELECT ? /* ? | SELECT 7 /* ?",
                "NESTED | SELECT $é$?$é$, $a1$?$a1$, ? | SELECT $é$?$é$, $a1$?$a1$, 7",
                "NESTED | SELECT é$a$?$a$ | SELECT é$a$7$a$",
                "NESTED | SELECT a # ? | SELECT a # 7",
                "NESTED | SELECT 'it\\', ?, '' | SELECT 'it\\', 7, ''",
                "NESTED | SELECT E'it\\', ?', ? | SELECT E'it\\', ?', 7",
                "NESTED | SELECT ?? , ? | SELECT ? , 7",
                "PLAIN | SELECT /* /* ? */ ?, '*/ ?' | SELECT /* /* ? */ 7, '*/ ?'",
                "PLAIN | SELECT ? # ? | SELECT 7 # ?",
                "PLAIN | SELECT 1--?, -- ? | SELECT 1--7, -- ?",
                "PLAIN | SELECT 'it\\'s ?', \"a\\\" ?\", `?`, ? | SELECT 'it\\'s ?', \"a\\\" ?\", `?`, 7",
            })
    void shouldFindTheParametersInItsText(Comments comments, String sql, String shown) {
        Parameter seven = new Parameter(Types.INTEGER, 7);
        assertThat(BoundSql.of(sql, comments, List.of(seven, seven).iterator(), given -> "7"))
                .isEqualTo(shown);
    }

    @Test
    void shouldHaveItsSqlAlready() throws SQLException {
        PreparedStatement statement = connection.prepareStatement("SELECT 1");
        assertThatThrownBy(() -> statement.executeQuery("SELECT 2"))
                .hasMessage("Can't use query methods that take a query string on a PreparedStatement.");
    }

    @Test
    void shouldSendTextsWithoutATypeIfThePropertyRequestsIt() throws SQLException {
        try (Connection untyped = middleware.connect("stringtype=unspecified");
                PreparedStatement statement = untyped.prepareStatement("SELECT ?")) {
            statement.setString(1, "a");
            statement.execute();
        }
        assertThat(middleware.requests(Execute.class).get(0).parameters())
                .containsExactly(new Parameter(Types.OTHER, "a"));
    }
}
