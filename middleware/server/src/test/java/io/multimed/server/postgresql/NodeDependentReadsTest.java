// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import io.multimed.server.testing.Answers;
import io.multimed.server.testing.TestCluster;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads whose results would differ between nodes, although their texts and functions look pure: the master answers. */
@Timeout(600)
@Tag("slow")
class NodeDependentReadsTest {
    /** A name as long as names can be. */
    private static final String LONG_NAME = "positive_nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn";

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run(
                "CREATE TYPE mood AS ENUM ('sad', 'happy')",
                "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
                "CREATE DOMAIN " + LONG_NAME + " AS int CHECK (VALUE > 0)",
                "CREATE TYPE named_table AS (name regclass)",
                "CREATE TABLE person (name varchar(20) PRIMARY KEY, now mood, age int)",
                "CREATE TABLE holder (id int PRIMARY KEY, p positive)",
                "INSERT INTO person VALUES ('a', 'happy', 3), ('b', 'sad', 4)",
                "CREATE EXTENSION tablefunc");
        cluster.awaitApplied();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void assertAnsweredByTheMaster(String query) throws SQLException {
        Answers.assertRowsOrError(cluster, "master", query);
    }

    /** In quotes, the words that stand for the session are names of functions. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT \"current_user\"()",
                "SELECT name, pg_catalog.\"session_user\"() FROM person",
                "SELECT \"current_schemas\"(true)",
                "SELECT name FROM person WHERE getpgusername() = 'postgres'"
            })
    void readsOfTheSession(String query) throws SQLException {
        assertAnsweredByTheMaster(query);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT hashenum(now) FROM person",
                "SELECT hash_array(ARRAY[now]) FROM person",
                "SELECT hash_record(p.*) FROM person p",
                "SELECT p.hash_record FROM person p",
                "SELECT encode(record_send(p), 'hex') FROM person p",
                "SELECT encode(array_send(ARRAY[now]), 'hex') FROM person p",
                "SELECT ('{person}'::_regclass)[1]::int, name FROM person",
                "SELECT (('(person)'::named_table).name)::int, name FROM person"
            })
    void readsOfObjectIdentifiersInValues(String query) throws SQLException {
        assertAnsweredByTheMaster(query);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT positive '-1', name FROM person",
                "SELECT public.positive '-1'",
                "SELECT (-age)::" + LONG_NAME + "_and_more FROM person",
                "SELECT (jsonb_populate_record(NULL::holder, '{\"p\":-1}')).p FROM person",
                "SELECT * FROM jsonb_to_record('{\"a\":-1}') AS abs(a positive)"
            })
    void readsOfValuesThatADomainRefuses(String query) throws SQLException {
        assertAnsweredByTheMaster(query);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM crosstab2('SELECT name::text, ''a''::text, current_user::text FROM person ORDER BY 1')",
                "SELECT * FROM crosstab('SELECT name::text, ''a''::text, current_user::text FROM person ORDER BY 1') AS abs(a text, b text)"
            })
    void readsThatRunSqlInATextByAnExtension(String query) throws SQLException {
        assertAnsweredByTheMaster(query);
    }
}
