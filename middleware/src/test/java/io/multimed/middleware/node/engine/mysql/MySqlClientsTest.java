package io.multimed.middleware.node.engine.mysql;

class MySqlClientsTest extends FamilyClients {
    MySqlClientsTest() {
        super("mysql");
    }
}
