// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import org.junit.jupiter.api.Tag;

@Tag("exhaustive")
class MySqlValueDifferenceTest extends ValueDifferenceTest {
    MySqlValueDifferenceTest() {
        super(EngineUnderTest.mysql());
    }
}
