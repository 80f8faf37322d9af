package io.multimed.middleware.node.engine.mysql;

class MySqlStatementsTest extends FamilyStatements {
    MySqlStatementsTest() {
        super("mysql");
    }
}
