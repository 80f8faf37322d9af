// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a session remembers of sequences (currval, lastval) is of the client's own transaction, and no one else's. */
@Timeout(300)
@ParameterizedClass
@EachEngine("postgresql")
@Tag("standbys")
@Tag("slow")
class SequenceMemoryTest extends SmallPoolTest {
    SequenceMemoryTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                2,
                "CREATE TABLE thing (id serial PRIMARY KEY, v int, w text)",
                "CREATE FUNCTION last() RETURNS bigint LANGUAGE sql AS 'SELECT lastval()'",
                "CREATE FUNCTION added() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO thing (v) VALUES (1); RETURN lastval() = (SELECT max(id) FROM thing); END $$",
                "CREATE VIEW present AS SELECT currval('thing_id_seq')");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT last()",
                "SELECT * FROM present",
                "SELECT 1; SELECT lastval()",
                "SELECT currval('thing_id_seq'); SELECT 1",
                "INSERT INTO thing (id, v) SELECT last(), 1",
                "BEGIN;; UPDATE thing SET v = v;; SELECT lastval()",
                "BEGIN;; UPDATE thing SET v = v;; SELECT currval('thing_id_seq')",
                "BEGIN;; UPDATE thing SET v = v;; SELECT last()"
            })
    void shouldNotReturnNumbersOfOtherClients(String statements) throws SQLException {
        try (Connection one = cluster.connect();
                Connection other = cluster.connect();
                Connection asking = cluster.connect()) {
            for (Connection each : new Connection[] {one, other}) {
                each.setAutoCommit(false); // both of the master's connections at once
                run(each, "INSERT INTO thing (v) VALUES (1)");
            }
            one.commit();
            other.rollback();
            assertThatThrownBy(() -> run(asking, statements.split(";; ")))
                    .extracting("SQLState")
                    .isEqualTo("55000");
        }
    }

    @Test
    void shouldReturnNumbersOfTheTransaction() throws SQLException {
        try (Connection client = cluster.connect()) {
            assertThat(text(client, "SELECT added()")).isEqualTo("t");
            run(client, "SELECT nextval('thing_id_seq'); SELECT currval('thing_id_seq')");
            client.setAutoCommit(false);
            run(client, "INSERT INTO thing (v) VALUES (1)");
            assertThat(text(client, "SELECT lastval() = currval('thing_id_seq')"))
                    .isEqualTo("t");
            client.commit();
        }
    }

    /** Changes that do not fit into memory are stored in a table of the master. */
    @ParameterizedTest
    @ValueSource(ints = {10_000, 300_000})
    void shouldReturnNumberOfLargeRow(int size) throws SQLException {
        try (Connection client = cluster.connect()) {
            client.setAutoCommit(false);
            for (int i = 0; i < 3; i++) {
                run(client, "INSERT INTO thing (w) VALUES (repeat('a', %d))".formatted(size));
                assertThat(text(client, "SELECT lastval() = (SELECT max(id) FROM thing)"))
                        .isEqualTo("t");
            }
            client.commit();
            cluster.assertEqualToMaster(client, "SELECT id, length(w) FROM thing");
            client.commit();
        }
    }

    /** The number of the commit is the last value of a sequence, too. */
    @Test
    void shouldRememberNumbersOfSequencesForPinnedClient() throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, "SET app.tenant = 7", "INSERT INTO thing (v) VALUES (1)");
            assertThat(text(client, "SELECT currval('thing_id_seq') = (SELECT max(id) FROM thing)"))
                    .isEqualTo("t");
            assertThatThrownBy(() -> text(client, "SELECT lastval()"))
                    .extracting("SQLState")
                    .isEqualTo("0A000");
        }
    }
}
