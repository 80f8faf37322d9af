package io.multimed.compatibility.difference;

class PostgresDifferenceTest extends DifferenceTest {
    PostgresDifferenceTest() {
        super(EngineUnderTest.postgresql());
    }
}
