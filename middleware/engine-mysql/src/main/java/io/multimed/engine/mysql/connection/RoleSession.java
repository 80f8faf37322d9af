// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.mysql.cj.jdbc.JdbcConnection;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the master that runs as the account of a role. The account has no privileges on Multimed's tables:
 * procedures with the privileges of their definer seal its transactions, and accept only calls that prove the secret of
 * the connection (triggers-sql, {@code mysql/install.sql}). Clients of the account know no secret, and what they may
 * see of a call is useless in other calls. Used by one thread at a time.
 */
public final class RoleSession {
    private static final int SECRET_BYTES = 16;
    private static final int HEXADECIMAL = 16;

    /** Digits of the hash that hide the number of the client's session, and those that hide the number in it. */
    private static final int SESSION_DIGITS = 16;

    private static final int SEQUENCE_DIGITS = 7;

    /** The sessions of open connections; held for a few instructions. */
    private static final Map<JdbcConnection, RoleSession> ALL = Collections.synchronizedMap(new WeakHashMap<>());

    private final String secret;
    private final Restoration restoration;
    private long seals;

    /** Grants the privileges to the account that the connection needs, after an administrator has revoked them. */
    @FunctionalInterface
    public interface Restoration {
        void run() throws SQLException;
    }

    private RoleSession(String secret, Restoration restoration) {
        this.secret = secret;
        this.restoration = restoration;
    }

    /** Returns a new secret, as hexadecimal digits. */
    public static String newSecret() {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /** Registers a connection, which Multimed's procedures know by the secret. */
    public static void register(Connection connection, String secret, Restoration restoration) throws SQLException {
        ALL.put(connection.unwrap(JdbcConnection.class), new RoleSession(secret, restoration));
    }

    /** Returns the role's session of a connection; null if the connection runs as the master's user. */
    public static @Nullable RoleSession of(Connection connection) throws SQLException {
        return ALL.get(connection.unwrap(JdbcConnection.class));
    }

    /**
     * Returns the statement that seals the transaction. Each call returns another statement.
     *
     * @param sessionId the first part of the receipt
     * @param sequence the second part of the receipt
     * @param told whether the procedure returns the WriteSet
     * @param ends whether the procedure commits
     */
    public String seal(long sessionId, int sequence, boolean told, boolean ends) {
        long seal = ++seals;
        String hidden = hash("hidden:" + seal);
        String session = Long.toUnsignedString(sessionId ^ number(hidden.substring(0, SESSION_DIGITS)));
        long number = sequence ^ number(hidden.substring(SESSION_DIGITS, SESSION_DIGITS + SEQUENCE_DIGITS));
        String proof = hash("seal:%d:%s:%d:%d:%d".formatted(seal, session, number, told ? 1 : 0, ends ? 1 : 0));
        return "CALL multimed.seal_role(%d, %s, %d, %b, %b, '%s')".formatted(seal, session, number, told, ends, proof);
    }

    /**
     * Returns the query for the previous versions of the rows that the open transaction has changed, which is valid
     * until the next seal.
     */
    public String overwritten() {
        long seal = seals + 1;
        return "CALL multimed.overwritten_by_role(%d, '%s')".formatted(seal, hash("overwritten:" + seal));
    }

    /** Returns the query for the number of these commits that the transaction's snapshot includes. */
    public String shown(String scns) {
        return "CALL multimed.shown_to_role('%s', '%s')".formatted(scns, hash("shown:" + sha256(scns)));
    }

    /** Restores the privileges that the connection needs. */
    public void restore() throws SQLException {
        restoration.run();
    }

    private static long number(String hexadecimal) {
        return new BigInteger(hexadecimal, HEXADECIMAL).longValue();
    }

    private String hash(String claim) {
        return sha256(secret + ":" + claim);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
