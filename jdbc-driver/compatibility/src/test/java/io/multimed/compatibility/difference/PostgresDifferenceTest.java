// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import io.multimed.compatibility.difference.StatementSuite.Way;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@Tag("standbys")
@Tag("embedded")
@Tag("comparison")
class PostgresDifferenceTest extends StatementDifferenceTest {
    PostgresDifferenceTest() {
        super(EngineUnderTest.postgresql());
    }

    /** Without -Pexhaustive, ways that resemble another one are left out. */
    @Override
    Set<Way> ways() {
        EnumSet<Way> repeating = Boolean.getBoolean("multimed.test.exhaustive")
                ? EnumSet.noneOf(Way.class)
                : EnumSet.of(Way.QUERY, Way.UPDATE, Way.KEY_COLUMNS, Way.LIMITED);
        return EnumSet.complementOf(repeating);
    }

    @Test
    @Tag("exhaustive")
    void shouldUndoStatementsThatFailAsTheEnginesOwnDriver() throws Exception {
        compare("autosave", 1_000, suite -> new AutosaveSuite(suite).run(databases));
    }
}
