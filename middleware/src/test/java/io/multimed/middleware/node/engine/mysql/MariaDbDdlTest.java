package io.multimed.middleware.node.engine.mysql;

class MariaDbDdlTest extends FamilyDdl {
    MariaDbDdlTest() {
        super("mariadb");
    }
}
