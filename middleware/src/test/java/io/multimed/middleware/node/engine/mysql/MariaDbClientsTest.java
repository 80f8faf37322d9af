package io.multimed.middleware.node.engine.mysql;

class MariaDbClientsTest extends FamilyClients {
    MariaDbClientsTest() {
        super("mariadb");
    }
}
