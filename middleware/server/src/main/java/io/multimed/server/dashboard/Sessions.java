// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.server.communication.Users;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The browsers that have logged in. A session ends with a logout, after half an hour without a request, after twelve
 * hours, and when its user is removed or receives another password. Thread-safe.
 */
final class Sessions {
    /** Beyond this number, the session that was used longest ago ends. */
    private static final int MAX_SESSIONS = 200;

    private static final int TOKEN_BYTES = 32;
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(30);
    private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(12);

    private final SecureRandom random = new SecureRandom();
    private final Users users;

    /** The session of all browsers if the middleware asks for no user. */
    private final Session anonymous = new Session("", token());

    /** Protects {@link #sessions}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** By the hash of the token, in the order of the last use. */
    @GuardedBy("lock")
    private final Map<String, Entry> sessions = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * What a request may do.
     *
     * @param user empty if the middleware asks for no user
     * @param guard must accompany each request that changes something: other sites cannot read it
     */
    record Session(String user, String guard) {
        /** Compares in constant time. */
        boolean isGuardedBy(@Nullable String sent) {
            return sent != null && MessageDigest.isEqual(sent.getBytes(UTF_8), guard.getBytes(UTF_8));
        }
    }

    private static final class Entry {
        private final Session session;
        private final Users.Login login;
        private final long begun = System.nanoTime();
        private long used = begun;

        Entry(Session session, Users.Login login) {
            this.session = session;
            this.login = login;
        }
    }

    Sessions(Users users) {
        this.users = users;
    }

    private String token() {
        byte[] bytes = new byte[TOKEN_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Opens a session, and returns its token for the browser's cookie. */
    String open(Users.Login login) {
        String token = token();
        Entry entry = new Entry(new Session(login.user(), token()), login);
        lock.lock();
        try {
            sessions.put(hash(token), entry);
            if (sessions.size() > MAX_SESSIONS) {
                sessions.remove(sessions.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
        return token;
    }

    /** Returns the session of a token; null if there is none, and the browser must log in. */
    @Nullable
    Session find(@Nullable String token) {
        if (!users.areAsked()) {
            return anonymous;
        }
        return token == null ? null : use(hash(token));
    }

    private @Nullable Session use(String hash) {
        lock.lock();
        try {
            Entry entry = sessions.get(hash);
            long now = System.nanoTime();
            if (entry == null) {
                return null;
            }
            if (now - entry.used > IDLE_NANOS || now - entry.begun > MAX_NANOS || !users.isLoggedIn(entry.login)) {
                sessions.remove(hash);
                return null;
            }
            entry.used = now;
            return entry.session;
        } finally {
            lock.unlock();
        }
    }

    void close(@Nullable String token) {
        if (token == null) {
            return;
        }
        lock.lock();
        try {
            sessions.remove(hash(token));
        } finally {
            lock.unlock();
        }
    }

    private static String hash(String token) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256", e);
        }
    }
}
