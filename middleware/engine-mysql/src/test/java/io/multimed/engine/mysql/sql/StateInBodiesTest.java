// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.HiddenState.Definition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateInBodiesTest {
    private static Definition definition(String body) {
        return StateInBodies.definition("name", false, body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET timestamp = 5",
                "BEGIN IF a THEN SET SESSION timestamp = 5; END IF; END",
                "BEGIN DECLARE x INT; SET x = 1, rand_seed1 = 1; END",
                "SET @@session.rand_seed2 = 1",
                "SET `timestamp` = 5"
            })
    void shouldFindVariablesThatNoEngineNeedReport(String body) {
        assertThat(definition(body).leavesState()).isTrue();
        assertThat(definition(body).settings()).containsExactly(Classification.ANY_SETTING);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET NEW.timestamp = NOW()",
                "UPDATE t SET timestamp = 5 WHERE a = 1",
                "SET x = TIMESTAMP(a)",
                "BEGIN SET x = 5; SELECT timestamp FROM t; END",
                "UPDATE t SET role = 'a'"
            })
    void shouldNotTakeColumnsForVariables(String body) {
        assertThat(definition(body).leavesState()).isFalse();
        assertThat(definition(body).settings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMPORARY TABLE t (a INT) ENGINE=MEMORY",
                "BEGIN CREATE TEMPORARY TABLE t (a INT) ENGINE 'MyISAM'; END",
                "CREATE TEMPORARY TABLE IF NOT EXISTS t (LIKE `mysql`.general_log)",
                "BEGIN SET @@default_tmp_storage_engine = 'MEMORY'; CREATE TEMPORARY TABLE t (a INT); END"
            })
    void shouldFindTemporaryTablesThatMySqlDoesNotList(String body) {
        assertThat(definition(body).leavesState()).isTrue();
        assertThat(definition(body).settings()).containsExactly(MySqlSessions.UNLISTED_TABLES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMPORARY TABLE t (a INT)",
                "CREATE TEMPORARY TABLE t (a INT) ENGINE = `InnoDB`",
                "CREATE TEMPORARY TABLE t LIKE u",
                "CREATE TEMPORARY TABLE t SELECT * FROM mysql.user WHERE user LIKE 'a'"
            })
    void shouldNotTakeListedTemporaryTablesForOthers(String body) {
        assertThat(definition(body).leavesState()).isTrue();
        assertThat(definition(body).settings()).isEmpty();
    }

    @Test
    void shouldFindLocksAndRoles() {
        assertThat(definition("DO `get_lock`('a', 1)").settings()).containsExactly(MySqlSessions.ANY_LOCK);
        assertThat(definition("BEGIN SET ROLE admin; END").leavesState()).isTrue();
    }
}
