package io.multimed.server.dispatcher;

/**
 * One client, after its login.
 *
 * @param sessionId unique for ever, because it names the session's commits
 * @param address of the client, with its port
 * @param tls the client's version of TLS; empty without TLS
 * @param administrator whether the client may change and verify the running system
 * @param zone the client's time zone as in {@link java.util.TimeZone}; empty if unknown
 */
public record ClientIdentity(
        long sessionId, String user, String address, String tls, boolean administrator, String zone) {}
