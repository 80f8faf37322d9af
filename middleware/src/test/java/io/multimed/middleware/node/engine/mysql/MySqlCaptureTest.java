package io.multimed.middleware.node.engine.mysql;

class MySqlCaptureTest extends FamilyCapture {
    MySqlCaptureTest() {
        super("mysql");
    }
}
