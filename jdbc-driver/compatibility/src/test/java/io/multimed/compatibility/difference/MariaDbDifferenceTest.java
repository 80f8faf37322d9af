package io.multimed.compatibility.difference;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** By request only: rows that the engine may order as it likes do differ in some runs. */
@EnabledIfSystemProperty(named = "multimed.difference.family", matches = "true")
class MariaDbDifferenceTest extends DifferenceTest {
    MariaDbDifferenceTest() {
        super(EngineUnderTest.mariadb());
    }
}
