package io.multimed.compatibility.difference;

class MariaDbDifferenceTest extends DifferenceTest {
    MariaDbDifferenceTest() {
        super(EngineUnderTest.mariadb());
    }
}
