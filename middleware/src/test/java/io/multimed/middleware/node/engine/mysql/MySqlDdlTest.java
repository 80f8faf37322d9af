package io.multimed.middleware.node.engine.mysql;

class MySqlDdlTest extends FamilyDdl {
    MySqlDdlTest() {
        super("mysql");
    }
}
