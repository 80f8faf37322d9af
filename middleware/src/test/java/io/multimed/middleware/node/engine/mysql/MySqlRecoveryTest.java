package io.multimed.middleware.node.engine.mysql;

class MySqlRecoveryTest extends FamilyRecovery {
    MySqlRecoveryTest() {
        super("mysql");
    }
}
