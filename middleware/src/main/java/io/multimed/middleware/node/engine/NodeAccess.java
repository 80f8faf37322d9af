package io.multimed.middleware.node.engine;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Properties;

/** How an engine is reached by its own JDBC driver. The password is never printed. */
public record NodeAccess(String node, String url, String user, String password) {
    /** User and password as a driver wants them. */
    public Properties credentials() {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return properties;
    }

    /** A password that nobody knows yet, of letters, digits, dashes and underscores. */
    public static String newPassword() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** The same engine, another user. */
    public NodeAccess as(String otherUser, String otherPassword) {
        return new NodeAccess(node, url, otherUser, otherPassword);
    }

    @Override
    public String toString() {
        return node + " at " + url;
    }
}
