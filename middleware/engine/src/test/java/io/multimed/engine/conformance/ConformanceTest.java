// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

/** A part of the kit. */
abstract class ConformanceTest {
    abstract Replication replication();

    /** Returns the only statement of a section of the engine's conformance.sql. */
    String word(String section) {
        return words("conformance").statement(section);
    }

    /** Returns a file of the engine's SQL. */
    EngineSql words(String file) {
        return EngineSql.of(replication().engine().id(), file);
    }
}
