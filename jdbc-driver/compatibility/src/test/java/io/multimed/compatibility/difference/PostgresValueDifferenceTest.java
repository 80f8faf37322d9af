// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import org.junit.jupiter.api.Tag;

@Tag("slow")
@Tag("standbys")
@Tag("embedded")
@Tag("comparison")
class PostgresValueDifferenceTest extends ValueDifferenceTest {
    PostgresValueDifferenceTest() {
        super(EngineUnderTest.postgresql());
    }
}
