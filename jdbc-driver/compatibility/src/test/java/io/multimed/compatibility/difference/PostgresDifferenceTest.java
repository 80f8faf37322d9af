// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PostgresDifferenceTest extends DifferenceTest {
    PostgresDifferenceTest() {
        super(EngineUnderTest.postgresql());
    }

    @Test
    @Tag("exhaustive")
    void shouldUndoStatementsThatFailAsTheEnginesOwnDriver() throws Exception {
        compare("autosave", 1_000, suite -> new AutosaveSuite(suite).run(databases));
    }
}
