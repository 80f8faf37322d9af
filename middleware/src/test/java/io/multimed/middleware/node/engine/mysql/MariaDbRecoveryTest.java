package io.multimed.middleware.node.engine.mysql;

class MariaDbRecoveryTest extends FamilyRecovery {
    MariaDbRecoveryTest() {
        super("mariadb");
    }
}
