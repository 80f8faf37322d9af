// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MySqlServerTest {
    @ParameterizedTest
    @CsvSource({
        "5.5.5-10.11.6-MariaDB-0+deb12u1, false",
        "10.11.19-MariaDB, false",
        "11.1.6-MariaDB, false",
        "11.2.0-MariaDB, true",
        "11.4.5-MariaDB-log, true",
        "12.0.2-MariaDB-ubu2404, true",
        "8.4.3, true",
        "9.7.0-commercial, true",
    })
    void shouldKnowWhichServersListTemporaryTables(String version, boolean listed) {
        assertThat(MySqlServer.listsTemporaryTables(version)).isEqualTo(listed);
    }
}
