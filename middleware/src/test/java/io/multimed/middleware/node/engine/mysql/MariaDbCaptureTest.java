package io.multimed.middleware.node.engine.mysql;

class MariaDbCaptureTest extends FamilyCapture {
    MariaDbCaptureTest() {
        super("mariadb");
    }
}
