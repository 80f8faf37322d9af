// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.util.List;

/**
 * An engine that Multimed is compared with.
 *
 * @param id as the System Model writes it
 * @param title as the headings of DIFFERENCES.md write it
 */
record EngineUnderTest(String id, String title, Family family) {
    static EngineUnderTest postgresql() {
        return new EngineUnderTest("postgresql", "PostgreSQL", new PostgresFamily());
    }

    static EngineUnderTest mariadb() {
        return new EngineUnderTest("mariadb", "MariaDB", new MySqlFamily(List.of("year(2) ; 24 ; 99 ; 0 ; 69 ; 70")));
    }

    static EngineUnderTest mysql() {
        return new EngineUnderTest("mysql", "MySQL", new MySqlFamily(List.of()));
    }
}
