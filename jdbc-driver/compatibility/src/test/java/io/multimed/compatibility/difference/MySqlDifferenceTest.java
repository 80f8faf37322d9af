package io.multimed.compatibility.difference;

class MySqlDifferenceTest extends DifferenceTest {
    MySqlDifferenceTest() {
        super(EngineUnderTest.mysql());
    }
}
