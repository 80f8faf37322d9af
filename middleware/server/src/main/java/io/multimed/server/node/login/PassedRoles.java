// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.login;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The roles as which clients have logged in with passwords that the master has checked, and these passwords: each until
 * its last client has left, and therefore at most as many as clients. Of the roles that the last client has left most
 * recently, it knows when their passwords were brought. Thread-safe.
 */
public final class PassedRoles {
    private static final int MAX_LEFT = 1_000;
    private static final int SALT_BYTES = 32;

    /** Random, so that the hashes tell nothing about passwords. */
    private final byte[] salt = new byte[SALT_BYTES];

    /** Protects the fields; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Entry> present = new HashMap<>();

    /** The last passwords of the roles that the last client has left most recently. */
    @GuardedBy("lock")
    private final LinkedHashMap<String, Left> left = new LinkedHashMap<>();

    /** The highest {@link Left#broughtAt} that {@link #left} does not contain any more. */
    @GuardedBy("lock")
    private long forgotten;

    /** Roles whose pools were opened with such a password, and not closed since. */
    @GuardedBy("lock")
    private final Set<String> opened = new HashSet<>();

    /** Number of passwords that clients have brought, of all roles; a moment in their order. */
    @GuardedBy("lock")
    private long moment;

    /** A password of before, which is not kept itself. */
    private record Left(byte[] hash, long broughtAt) {}

    private static final class Entry {
        private String password = "";
        private long broughtAt;
        private int clients;
    }

    public PassedRoles() {
        new SecureRandom().nextBytes(salt);
    }

    /** Returns the present moment in the order of passwords, to be taken before the master checks a password. */
    public long moment() {
        lock.lock();
        try {
            return moment;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a client with a password that the master has accepted.
     *
     * @param checkedSince {@link #moment()} before the check
     * @return false, without effect, if a client of the role has brought another password since: the master may have
     *     accepted this one before the role's password was changed, so that the check must be repeated
     */
    public boolean enter(String role, String password, long checkedSince) {
        lock.lock();
        try {
            Entry entry = present.get(role);
            boolean same = entry == null ? isLast(role, password) : entry.password.equals(password);
            long broughtAt = entry == null ? broughtAt(role) : entry.broughtAt;
            if (!same && broughtAt > checkedSince) {
                return false;
            }
            if (entry == null || !same) {
                entry = present.computeIfAbsent(role, unused -> new Entry());
                entry.password = password;
                entry.broughtAt = ++moment;
                left.remove(role);
            }
            entry.clients++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isLast(String role, String password) {
        Left last = left.get(role);
        return last != null && MessageDigest.isEqual(last.hash, hash(password));
    }

    @GuardedBy("lock")
    private long broughtAt(String role) {
        Left last = left.get(role);
        return last == null ? forgotten : last.broughtAt;
    }

    /** Remembers the order of the passwords of a role without clients, because a check of another one may still run. */
    @GuardedBy("lock")
    private void remember(String role, Entry entry) {
        left.put(role, new Left(hash(entry.password), entry.broughtAt));
        if (left.size() > MAX_LEFT) {
            Iterator<Left> eldest = left.values().iterator();
            forgotten = Math.max(forgotten, eldest.next().broughtAt);
            eldest.remove();
        }
    }

    private byte[] hash(String password) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(salt);
            return sha.digest(password.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Removes a client, and the password if it was the last client of the role. */
    public void leave(String role) {
        lock.lock();
        try {
            Entry entry = present.get(role);
            if (entry != null && --entry.clients == 0) {
                present.remove(role);
                remember(role, entry);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a client of the role is connected. */
    public boolean isPresent(String role) {
        lock.lock();
        try {
            return present.containsKey(role);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the password for the pools of a role, which are open from now on; null if no client is present. */
    public @Nullable String open(String role) {
        lock.lock();
        try {
            Entry entry = present.get(role);
            if (entry == null) {
                return null;
            }
            opened.add(role);
            return entry.password;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the pools of a role were opened with such a password, and its last client has left. */
    public boolean takeUnused(String role) {
        lock.lock();
        try {
            return !present.containsKey(role) && opened.remove(role);
        } finally {
            lock.unlock();
        }
    }
}
