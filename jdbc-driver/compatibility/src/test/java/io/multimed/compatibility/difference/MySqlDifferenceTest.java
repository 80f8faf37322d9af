package io.multimed.compatibility.difference;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class MySqlDifferenceTest extends DifferenceTest {
    MySqlDifferenceTest() {
        super(EngineUnderTest.mysql());
    }
}
