package io.multimed.middleware.node.engine.mysql;

class MariaDbStatementsTest extends FamilyStatements {
    MariaDbStatementsTest() {
        super("mariadb");
    }
}
