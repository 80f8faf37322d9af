package io.multimed.compatibility.difference;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** By request only: the list of differences is not complete. */
@EnabledIfSystemProperty(named = "multimed.difference.family", matches = "true")
class MariaDbDifferenceTest extends DifferenceTest {
    MariaDbDifferenceTest() {
        super(EngineUnderTest.mariadb());
    }
}
